/**
 * The ids of a page of rows, packed: a million of them as JavaScript strings would be 60 MB that the garbage collector
 * walks again and again; here a UUID takes 18 bytes and any other id its utf8 and two. Rows are sorted by creation time,
 * then id, so an id is looked at when two rows were created in the same millisecond.
 */

/** Stands where the length of a text would. */
const IS_UUID = 0xffff;
const UUID_BYTES = 16;
/** The longest id there is (256 characters); what lies beyond is not compared. */
const MAX_BYTES = 1024;

export class Ids {
  #bytes = Buffer.alloc(64);
  #used = 0;
  /** Where each slot's id begins. */
  readonly #starts: Uint32Array;

  constructor(slots: number) {
    this.#starts = new Uint32Array(slots);
  }

  /** Sets the id of a slot, which it keeps. */
  set(slot: number, id: string): void {
    this.#starts[slot] = this.#used;
    this.#reserve(2 + UUID_BYTES);
    const packed = packUuid(id, this.#bytes, this.#used + 2);
    const length = packed ? UUID_BYTES : Math.min(Buffer.byteLength(id), MAX_BYTES);
    if (!packed) {
      this.#reserve(2 + length);
      this.#bytes.write(id, this.#used + 2, length, 'utf8');
    }
    this.#bytes.writeUInt16LE(packed ? IS_UUID : length, this.#used);
    this.#used += 2 + length;
  }

  /** The ids of the first slots one behind the other, as `fromPacked` takes them; `present` is 1 where there is one. */
  packed(present: Uint8Array): Uint8Array {
    const packed = Buffer.alloc(present.length * 2 + this.#used);
    let used = 0;
    for (let slot = 0; slot < present.length; slot++) {
      const start = this.#starts[slot]!;
      if (present[slot] === 1) used += this.#bytes.copy(packed, used, start, start + 2 + this.#lengthAt(start));
      else used += 2;
    }
    return packed.subarray(0, used);
  }

  /** Ids as `packed` gave them, of at least as many slots. */
  static fromPacked(slots: number, bytes: Buffer<ArrayBuffer>): Ids {
    const ids = new Ids(slots);
    ids.#bytes = bytes;
    ids.#used = bytes.length;
    for (let slot = 0, at = 0; at < bytes.length; slot++) {
      ids.#starts[slot] = at;
      at += 2 + ids.#lengthAt(at);
    }
    return ids;
  }

  #lengthAt(start: number): number {
    const length = this.#bytes.readUInt16LE(start);
    return length === IS_UUID ? UUID_BYTES : length;
  }

  /** Orders two ids as their texts would be; those of UUIDs, which are nearly all, without making the texts. */
  static compare(a: Ids, slotA: number, b: Ids, slotB: number): number {
    const [startA, startB] = [a.#starts[slotA]!, b.#starts[slotB]!];
    if (a.#bytes.readUInt16LE(startA) === IS_UUID && b.#bytes.readUInt16LE(startB) === IS_UUID)
      for (let i = 2; i < 2 + UUID_BYTES; i += 4) {
        const apart = a.#bytes.readUInt32BE(startA + i) - b.#bytes.readUInt32BE(startB + i);
        if (apart !== 0) return apart;
      }
    const [textA, textB] = [a.get(slotA), b.get(slotB)];
    return textA < textB ? -1 : textA > textB ? 1 : 0;
  }

  /** The id of a slot that has one. */
  get(slot: number): string {
    const start = this.#starts[slot]!;
    const length = this.#bytes.readUInt16LE(start);
    if (length !== IS_UUID) return this.#bytes.toString('utf8', start + 2, start + 2 + length);
    const hex = this.#bytes.toString('hex', start + 2, start + 2 + UUID_BYTES);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }

  #reserve(bytes: number): void {
    if (this.#used + bytes <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.max(this.#used + bytes, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
  }
}

/** Where the dashes of a UUID are. */
const DASHES = [8, 13, 18, 23];
const DASH = 0x2d;
/** The value of each lower-case hexadecimal digit, -1 for other characters. */
const DIGITS = Int8Array.from({ length: 128 }, (_, code) => '0123456789abcdef'.indexOf(String.fromCharCode(code)));
/** Places of the digits in the text. */
const PLACES = Uint8Array.from(Array.from({ length: 36 }, (_, i) => i).filter((i) => !DASHES.includes(i)));

/** Writes the 16 bytes of a lower-case UUID; says no, with bytes written in vain, when the text is none. */
function packUuid(id: string, bytes: Buffer, at: number): boolean {
  if (id.length !== 36) return false;
  for (const dash of DASHES) if (id.charCodeAt(dash) !== DASH) return false;
  for (let i = 0; i < UUID_BYTES; i++) {
    const high = DIGITS[id.charCodeAt(PLACES[2 * i]!)] ?? -1;
    const low = DIGITS[id.charCodeAt(PLACES[2 * i + 1]!)] ?? -1;
    if (high < 0 || low < 0) return false;
    bytes[at + i] = (high << 4) | low;
  }
  return true;
}
