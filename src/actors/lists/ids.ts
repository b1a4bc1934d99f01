/**
 * The ids of a page of rows, packed: a million of them as JavaScript strings would be 60 MB that the garbage collector
 * walks again and again; here a UUID takes 18 bytes and any other id its utf8 and two. Rows are sorted by creation time,
 * then id, so an id is looked at when two rows were created in the same millisecond.
 */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
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
    const isUuid = UUID.test(id);
    const length = isUuid ? UUID_BYTES : Math.min(Buffer.byteLength(id), MAX_BYTES);
    this.#reserve(2 + length);
    this.#starts[slot] = this.#used;
    this.#bytes.writeUInt16LE(isUuid ? IS_UUID : length, this.#used);
    if (isUuid) this.#bytes.write(id.replaceAll('-', ''), this.#used + 2, 'hex');
    else this.#bytes.write(id, this.#used + 2, length, 'utf8');
    this.#used += 2 + length;
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
