/**
 * A page of columns as text, to be kept in the store (DESIGN, X and Y blocks), and back.
 *
 * A column's numbers are kept as their distances from the smallest one, in as few bytes as the largest needs: a run takes
 * about 20 bytes of a block. They are read straight into the arrays that the column keeps: a start reads a hundred pages
 * in a row, and what it leaves to the garbage collector stays with the process. What is a code in memory is kept with its
 * texts, because codes mean something only in the process that gave them. The rows' order is kept instead of their ids,
 * which are needed for nothing else. A block that this build cannot read is no block: the rows are read one by one.
 */

import { endianness } from 'node:os';
import { arrayFor, Numbers } from './numbers.js';
import { PAGE_ROWS, slotOf, type Slots, type Table } from './table.js';

/** How a column's codes are texts; null: its numbers are numbers. */
export type Texts = {
  text(code: number): string | null;
  /** The code of a text that `uses` rows have. */
  acquire(text: string | null, uses: number): number;
} | null;

/** Changes whenever blocks of before must not be read. */
const FORMAT = `4 ${endianness()}`;

/** Bytes in base64. */
type Packed = string;
/** `apart` is empty when all numbers are the same. */
type PackedNumbers = { from: number; width: 1 | 2 | 4 | 8; apart: Packed };
type Block = {
  format: string;
  /** 1 where there is a row; the numbers of other slots mean nothing. */
  present: Packed;
  /** The slots of the rows in their order, each by its distance from its place. */
  order: PackedNumbers;
  created: PackedNumbers;
  updated: PackedNumbers;
  /** `texts[code - 1]` is the text of a code. */
  columns: { values: PackedNumbers; texts?: (string | null)[] }[];
};
/**
 * Room for what is on its way through a restoring, kept: arrays of this size that come and go by the thousand leave holes
 * between those that stay, a quarter of what the columns take.
 */
const distancesRoom = new ArrayBuffer(8 * PAGE_ROWS);
const orderRoom = new Uint32Array(PAGE_ROWS);
const usesRoom = new Uint32Array(PAGE_ROWS + 1);

type NumberOf = (slot: number) => number;
type Bytes = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** The block of a page; undefined when it has no rows. */
export function encodePage(table: Table, page: number, texts: readonly Texts[]): string | undefined {
  const slots = table.slots(page);
  if (!slots) return undefined;
  const present = slots.present.subarray(0, slots.present.lastIndexOf(1) + 1);
  const { created, updated, columns } = slots;
  const order = table.orderOf(page);
  const block: Block = {
    format: FORMAT,
    present: pack(present),
    order: packNumbers((place) => slotOf(order[place]!) - place, new Uint8Array(order.length).fill(1)),
    created: packNumbers((slot) => created.get(slot), present),
    updated: packNumbers((slot) => updated.get(slot), present),
    columns: columns.map((column, i) => encodeColumn(column, texts[i]!, present)),
  };
  return JSON.stringify(block);
}

function encodeColumn(column: Numbers, texts: Texts, present: Uint8Array): Block['columns'][number] {
  if (!texts) return { values: packNumbers((slot) => column.get(slot), present) };
  const local = new Map<number, number>([[0, 0]]);
  for (let slot = 0; slot < present.length; slot++) {
    const code = column.get(slot);
    if (present[slot] === 1 && !local.has(code)) local.set(code, local.size);
  }
  return {
    values: packNumbers((slot) => local.get(column.get(slot))!, present),
    texts: [...local.keys()].slice(1).map((code) => texts.text(code)),
  };
}

/** Puts the rows of a block into a page that has none. False: the block cannot be read, and nothing was done. */
export function restorePage(table: Table, page: number, texts: readonly Texts[], stored: string): boolean {
  const block = read(stored, texts.length);
  if (!block) return false;
  const present = unpack(block.present, new Uint8Array(PAGE_ROWS));
  const slots: Slots = {
    present,
    created: unpackNumbers(block.created),
    updated: unpackNumbers(block.updated),
    columns: block.columns.map((column, i) => decodeColumn(column, texts[i]!, present)),
  };
  table.fill(page, slots, unpackOrder(block.order, page, present));
  return true;
}

/** The ordinals of a page's rows in their order; to be read at once. */
function unpackOrder(packed: PackedNumbers, page: number, present: Uint8Array): Uint32Array {
  let rows = 0;
  for (const one of present) rows += one;
  const apart = unpackForNow(packed);
  const order = orderRoom.subarray(0, rows);
  const first = page * PAGE_ROWS + packed.from;
  for (let place = 0; place < rows; place++) order[place] = first + place + apart[place]!;
  return order;
}

function decodeColumn(
  { values, texts: known = [] }: Block['columns'][number],
  texts: Texts,
  present: Uint8Array,
): Numbers {
  if (!texts) return unpackNumbers(values);
  const { from } = values;
  const codes = unpackForNow(values);
  const uses = usesRoom.fill(0, 0, known.length + 1);
  for (let slot = 0; slot < PAGE_ROWS; slot++) if (present[slot] === 1) uses[codes[slot]! + from]! += 1;
  const here = [0, ...known.map((text, i) => texts.acquire(text, uses[i + 1]!))];
  // Rows to come need zeros.
  if (values.apart === '' && !present.includes(0)) return new Numbers(PAGE_ROWS, here[from]);
  const decoded = arrayFor(PAGE_ROWS, Math.max(...here));
  for (let slot = 0; slot < PAGE_ROWS; slot++) if (present[slot] === 1) decoded[slot] = here[codes[slot]! + from]!;
  return Numbers.of(decoded, 0);
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

function packNumbers(numberOf: NumberOf, present: Uint8Array): PackedNumbers {
  let [from, to] = [Infinity, -Infinity];
  for (let slot = 0; slot < present.length; slot++) {
    if (present[slot] !== 1) continue;
    from = Math.min(from, numberOf(slot));
    to = Math.max(to, numberOf(slot));
  }
  const width = to - from < 2 ** 8 ? 1 : to - from < 2 ** 16 ? 2 : to - from < 2 ** 32 ? 4 : 8;
  if (from === to) return { from, width, apart: '' };
  const apart = new arrays[width](present.length);
  for (let slot = 0; slot < present.length; slot++) if (present[slot] === 1) apart[slot] = numberOf(slot) - from;
  return { from, width, apart: pack(apart) };
}

function unpackNumbers(packed: PackedNumbers): Numbers {
  const { from, width, apart } = packed;
  if (apart === '') return new Numbers(PAGE_ROWS, from);
  if (width === 2) return Numbers.of(Uint32Array.from(unpackForNow(packed)), from);
  return Numbers.of(unpack(apart, new arrays[width](PAGE_ROWS)), from);
}

/** Distances that are read at once and not kept. */
const unpackForNow = ({ width, apart }: PackedNumbers): Bytes =>
  unpack(apart, new arrays[width](distancesRoom, 0, PAGE_ROWS).fill(0));

const pack = ({ buffer, byteOffset, byteLength }: Bytes): Packed =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');

/** Writes the bytes to the beginning of an array that has room for them. */
function unpack<T extends Bytes>(packed: Packed, into: T): T {
  Buffer.from(into.buffer, into.byteOffset, into.byteLength).write(packed, 'base64');
  return into;
}
