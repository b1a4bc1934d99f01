/**
 * A page of columns as text, to be kept in the store (DESIGN, X and Y blocks), and back.
 *
 * A column's numbers are kept as their distances from the smallest one, in as few bytes as the largest needs: a run takes
 * about 45 bytes of a block. What is a code in memory is kept with its texts, because codes mean something only in the
 * process that gave them. A block that this build cannot read is no block: the rows are read one by one.
 */

import { endianness } from 'node:os';
import { Ids } from './ids.js';
import { PAGE_ROWS, type Slots, type Table } from './table.js';

/** How a column's codes are texts; null: its numbers are numbers. */
export type Texts = {
  readonly width: 1 | 4;
  text(code: number): string | null;
  /** The code of a text that `uses` rows have. */
  acquire(text: string | null, uses: number): number;
} | null;

/** Changes whenever blocks of before must not be read. */
const FORMAT = `2 ${endianness()}`;

/** Bytes in base64. */
type Packed = string;
type Numbers = { from: number; width: 1 | 2 | 4 | 8; apart: Packed };
type Block = {
  format: string;
  /** 1 where there is a row; the numbers of other slots mean nothing. */
  present: Packed;
  ids: Packed;
  created: Numbers;
  /** Since `created`. */
  updated: Numbers;
  /** `texts[code - 1]` is the text of a code. */
  columns: { values: Numbers; texts?: (string | null)[] }[];
};
type Values = ArrayLike<number>;

/** The block of a page; undefined when it has no rows. */
export function encodePage(table: Table, page: number, texts: readonly Texts[]): string | undefined {
  const slots = table.slots(page);
  if (!slots) return undefined;
  const present = slots.present.subarray(0, slots.present.lastIndexOf(1) + 1);
  const { created, updated } = slots;
  const block: Block = {
    format: FORMAT,
    present: pack(present),
    ids: pack(slots.ids.packed(present)),
    created: packNumbers(created, present),
    updated: packNumbers(
      created.map((at, slot) => updated[slot]! - at),
      present,
    ),
    columns: slots.columns.map((values, i) => encodeColumn(values, texts[i]!, present)),
  };
  return JSON.stringify(block);
}

function encodeColumn(values: Values, texts: Texts, present: Uint8Array): Block['columns'][number] {
  if (!texts) return { values: packNumbers(values, present) };
  const local = new Map<number, number>([[0, 0]]);
  const codes = new Uint32Array(present.length);
  for (let slot = 0; slot < present.length; slot++) {
    if (present[slot] !== 1) continue;
    const code = values[slot]!;
    if (!local.has(code)) local.set(code, local.size);
    codes[slot] = local.get(code)!;
  }
  return { values: packNumbers(codes, present), texts: [...local.keys()].slice(1).map((code) => texts.text(code)) };
}

/** Puts the rows of a block into a page that has none. False: the block cannot be read, and nothing was done. */
export function restorePage(table: Table, page: number, texts: readonly Texts[], stored: string): boolean {
  const block = read(stored, texts.length);
  if (!block) return false;
  const present = unpack(block.present);
  const created = unpackNumbers(block.created);
  const updated = unpackNumbers(block.updated);
  for (let slot = 0; slot < updated.length; slot++) updated[slot]! += created[slot]!;
  const slots: Slots = {
    present,
    created,
    updated,
    ids: Ids.fromPacked(PAGE_ROWS, unpack(block.ids)),
    columns: block.columns.map((column, i) => decodeColumn(column, texts[i]!, present)),
  };
  table.fill(page, slots);
  return true;
}

function decodeColumn({ values, texts: known = [] }: Block['columns'][number], texts: Texts, present: Uint8Array) {
  const codes = unpackNumbers(values);
  if (!texts) return codes;
  const uses = new Uint32Array(known.length + 1);
  for (let slot = 0; slot < present.length; slot++) if (present[slot] === 1) uses[codes[slot]!]! += 1;
  const here = [0, ...known.map((text, i) => texts.acquire(text, uses[i + 1]!))];
  for (let slot = 0; slot < codes.length; slot++) codes[slot] = here[codes[slot]!] ?? 0;
  return codes;
}

function read(stored: string, columns: number): Block | undefined {
  try {
    const block = JSON.parse(stored) as Block;
    return block.format === FORMAT && block.columns.length === columns ? block : undefined;
  } catch {
    return undefined;
  }
}

const arrays = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: Float64Array } as const;

function packNumbers(values: Values, present: Uint8Array): Numbers {
  let [from, to] = [Infinity, -Infinity];
  for (let slot = 0; slot < present.length; slot++) {
    if (present[slot] !== 1) continue;
    from = Math.min(from, values[slot]!);
    to = Math.max(to, values[slot]!);
  }
  const width = to - from < 2 ** 8 ? 1 : to - from < 2 ** 16 ? 2 : to - from < 2 ** 32 ? 4 : 8;
  const apart = new arrays[width](present.length);
  for (let slot = 0; slot < present.length; slot++) if (present[slot] === 1) apart[slot] = values[slot]! - from;
  return { from, width, apart: pack(apart) };
}

function unpackNumbers({ from, width, apart }: Numbers): Float64Array {
  const { buffer, byteOffset, length } = unpack(apart);
  const distances = new arrays[width](buffer, byteOffset, length / width);
  const values = new Float64Array(distances.length);
  for (let slot = 0; slot < values.length; slot++) values[slot] = from + distances[slot]!;
  return values;
}

const pack = ({ buffer, byteOffset, byteLength }: Uint8Array | Uint16Array | Uint32Array | Float64Array): Packed =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');

/** Bytes in a buffer of their own, so that other arrays can be laid over them. */
function unpack(packed: Packed): Buffer<ArrayBuffer> {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(packed, 'base64'));
  bytes.write(packed, 'base64');
  return bytes;
}
