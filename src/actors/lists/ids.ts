/**
 * The ids of a page of rows, packed: a million of them as JavaScript strings would be 60 MB that the garbage collector
 * walks again and again; here a UUID takes 16 bytes and any other id its utf8 and sixteen. Rows are sorted by creation
 * time, then id, so an id is looked at when two rows were created in the same millisecond.
 */

const UUID_BYTES = 16;
/** The longest id there is (256 characters); what lies beyond is not compared. */
const MAX_BYTES = 1024;

/** Ids as they are kept: the bytes of UUIDs, a slot each, and the others by slot. */
export type PackedIds = { uuids: Uint8Array; others: [slot: number, id: string][] };

export class Ids {
  /** A slot has its UUID, or where its text begins and how many bytes it has. */
  readonly #slots: Buffer<ArrayBuffer>;
  #texts = Buffer.alloc(0);
  #used = 0;
  /** 1 where a slot has a text; null: nowhere. */
  #isText: Uint8Array | null = null;

  constructor(slots: number) {
    this.#slots = Buffer.alloc(slots * UUID_BYTES);
  }

  /** Sets the id of a slot, which it keeps. */
  set(slot: number, id: string): void {
    if (!packUuid(id, this.#slots, slot * UUID_BYTES)) this.#setText(slot, id);
  }

  /** The ids of slots whose `present` is 1, as `fromPacked` takes them. */
  packed(present: Uint8Array): PackedIds {
    const uuids = Buffer.from(this.#slots.subarray(0, present.length * UUID_BYTES));
    const others: PackedIds['others'] = [];
    for (let slot = 0; slot < present.length; slot++) {
      if (present[slot] === 1 && this.#hasText(slot)) others.push([slot, this.get(slot)]);
      else if (present[slot] === 1) continue;
      uuids.fill(0, slot * UUID_BYTES, (slot + 1) * UUID_BYTES);
    }
    return { uuids, others };
  }

  /** Ids of at least as many slots as were packed. @param writeUuids puts their bytes into a buffer that has room */
  static fromPacked(slots: number, writeUuids: (bytes: Buffer) => void, others: PackedIds['others']): Ids {
    const ids = new Ids(slots);
    writeUuids(ids.#slots);
    for (const [slot, id] of others) ids.#setText(slot, id);
    return ids;
  }

  /** Orders two ids as their texts would be; those of UUIDs, which are nearly all, without making the texts. */
  static compare(a: Ids, slotA: number, b: Ids, slotB: number): number {
    if (!a.#hasText(slotA) && !b.#hasText(slotB)) {
      for (let i = 0; i < UUID_BYTES; i += 4) {
        const apart = a.#slots.readUInt32BE(slotA * UUID_BYTES + i) - b.#slots.readUInt32BE(slotB * UUID_BYTES + i);
        if (apart !== 0) return apart;
      }
      return 0;
    }
    const [textA, textB] = [a.get(slotA), b.get(slotB)];
    return textA < textB ? -1 : textA > textB ? 1 : 0;
  }

  /** The id of a slot that has one. */
  get(slot: number): string {
    const at = slot * UUID_BYTES;
    if (this.#hasText(slot)) {
      const start = this.#slots.readUInt32LE(at);
      return this.#texts.toString('utf8', start, start + this.#slots.readUInt32LE(at + 4));
    }
    const hex = this.#slots.toString('hex', at, at + UUID_BYTES);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }

  #hasText(slot: number): boolean {
    return this.#isText !== null && this.#isText[slot] === 1;
  }

  #setText(slot: number, id: string): void {
    const length = Math.min(Buffer.byteLength(id), MAX_BYTES);
    if (this.#used + length > this.#texts.length) {
      const larger = Buffer.alloc(Math.max(this.#used + length, this.#texts.length * 2, 64));
      this.#texts.copy(larger, 0, 0, this.#used);
      this.#texts = larger;
    }
    this.#texts.write(id, this.#used, length, 'utf8');
    this.#slots.writeUInt32LE(this.#used, slot * UUID_BYTES);
    this.#slots.writeUInt32LE(length, slot * UUID_BYTES + 4);
    this.#isText ??= new Uint8Array(this.#slots.length / UUID_BYTES);
    this.#isText[slot] = 1;
    this.#used += length;
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
