/**
 * Texts under numbers that the caller gives, as bytes of one buffer. A hundred thousand of them as strings would be
 * 5 MB that the garbage collector walks again and again, and it lets garbage grow to several times what it walks.
 */

const LEAST = 1024;

export class PackedTexts {
  #bytes = Buffer.alloc(0);
  /** Up to here bytes are in use or wasted. */
  #end = 0;
  #wasted = 0;
  /** Where the text of a number begins; how many bytes it has, times two, and one if these are two for each character. */
  #starts = new Uint32Array(16);
  #sizes = new Uint32Array(16);

  /** Puts a text under a number that has none. Numbers come without large gaps. */
  set(number: number, text: string): void {
    const wide = isWide(text);
    const size = text.length * (wide ? 2 : 1);
    if (number >= this.#starts.length) {
      const room = Math.ceil(number * 1.25) + 16;
      this.#starts = grown(this.#starts, room);
      this.#sizes = grown(this.#sizes, room);
    }
    if (this.#end + size > this.#bytes.length) this.#makeRoom(size);
    this.#bytes.write(text, this.#end, size, wide ? 'utf16le' : 'latin1');
    this.#starts[number] = this.#end;
    this.#sizes[number] = 2 * size + Number(wide);
    this.#end += size;
  }

  get(number: number): string {
    const [start, size] = [this.#starts[number]!, this.#sizes[number]!];
    return this.#bytes.toString(size % 2 === 1 ? 'utf16le' : 'latin1', start, start + (size >>> 1));
  }

  is(number: number, text: string): boolean {
    const [start, size] = [this.#starts[number]!, this.#sizes[number]!];
    if (size % 2 === 1) return this.get(number) === text;
    if (size >>> 1 !== text.length) return false;
    for (let i = 0; i < text.length; i++) if (this.#bytes[start + i] !== text.charCodeAt(i)) return false;
    return true;
  }

  /** Takes the text of a number away. */
  delete(number: number): void {
    this.#wasted += this.#sizes[number]! >>> 1;
    this.#sizes[number] = 0;
  }

  /** A larger buffer, or one that nothing is wasted in. */
  #makeRoom(size: number): void {
    const used = this.#end - this.#wasted;
    const bytes = Buffer.alloc(Math.max(LEAST, used + size, Math.ceil(used * 1.25)));
    let end = 0;
    for (const [number, twice] of this.#sizes.entries()) {
      const [start, size] = [this.#starts[number]!, twice >>> 1];
      this.#bytes.copy(bytes, end, start, start + size);
      this.#starts[number] = end;
      end += size;
    }
    [this.#bytes, this.#end, this.#wasted] = [bytes, end, 0];
  }
}

export function grown(array: Uint32Array<ArrayBuffer>, room: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(room);
  larger.set(array);
  return larger;
}

const isWide = (text: string): boolean => {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0xff) return true;
  return false;
};
