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

  /** The ids of the first slots, packed, as `fromPacked` takes them. */
  packed(slots: number): { starts: Uint32Array; bytes: Uint8Array } {
    return { starts: this.#starts.subarray(0, slots), bytes: this.#bytes.subarray(0, this.#used) };
  }

  /** Ids as `packed` gave them, in at least as many slots. */
  static fromPacked(slots: number, { starts, bytes }: { starts: Uint32Array; bytes: Uint8Array }): Ids {
    const ids = new Ids(slots);
    ids.#starts.set(starts);
    ids.#bytes = Buffer.from(bytes);
    ids.#used = bytes.length;
    return ids;
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
