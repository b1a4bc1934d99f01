/**
 * A page of columns as text, to be kept in the store (DESIGN, X and Y blocks), and back.
 *
 * Numbers are kept as they stand in memory; what is a code in memory is kept with its texts, because codes mean
 * something only in the process that gave them. A block that this build cannot read is no block: the rows are read
 * one by one.
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
const FORMAT = `1 ${endianness()}`;

type Packed = string;
type Block = {
  format: string;
  present: Packed;
  created: Packed;
  updated: Packed;
  ids: [starts: Packed, bytes: Packed];
  /** `texts[code - 1]` is the text of a code. */
  columns: { values: Packed; texts?: (string | null)[] }[];
};

/** The block of a page; undefined when it has no rows. */
export function encodePage(table: Table, page: number, texts: readonly Texts[]): string | undefined {
  const slots = table.slots(page);
  if (!slots) return undefined;
  const used = slots.present.lastIndexOf(1) + 1;
  const { starts, bytes } = slots.ids.packed(used);
  const block: Block = {
    format: FORMAT,
    present: pack(slots.present.subarray(0, used)),
    created: pack(slots.created.subarray(0, used)),
    updated: pack(slots.updated.subarray(0, used)),
    ids: [pack(starts), pack(bytes)],
    columns: slots.columns.map((values, i) => encodeColumn(values.subarray(0, used), texts[i]!)),
  };
  return JSON.stringify(block);
}

function encodeColumn(values: Uint8Array | Uint32Array, texts: Texts): Block['columns'][number] {
  if (!texts) return { values: pack(values) };
  const local = new Map<number, number>([[0, 0]]);
  const codes = values.map((code) => {
    const known = local.get(code);
    if (known !== undefined) return known;
    local.set(code, local.size);
    return local.size - 1;
  });
  return { values: pack(codes), texts: [...local.keys()].slice(1).map((code) => texts.text(code)) };
}

/** Puts the rows of a block into a page that has none. False: the block cannot be read, and nothing was done. */
export function restorePage(table: Table, page: number, texts: readonly Texts[], stored: string): boolean {
  const block = read(stored, texts.length);
  if (!block) return false;
  const present = unpack(block.present);
  const ids = { starts: new Uint32Array(unpack(block.ids[0]).buffer), bytes: unpack(block.ids[1]) };
  const slots: Slots = {
    present,
    created: new Float64Array(unpack(block.created).buffer),
    updated: new Float64Array(unpack(block.updated).buffer),
    ids: Ids.fromPacked(PAGE_ROWS, ids),
    columns: block.columns.map((column, i) => decodeColumn(column, texts[i]!)),
  };
  table.fill(page, slots);
  return true;
}

function decodeColumn({ values, texts: known = [] }: Block['columns'][number], texts: Texts): Uint8Array | Uint32Array {
  const bytes = unpack(values);
  const codes = texts?.width === 1 ? bytes : new Uint32Array(bytes.buffer);
  if (!texts) return codes;
  const uses = new Uint32Array(known.length + 1);
  for (const code of codes) uses[code]! += 1;
  const here = [0, ...known.map((text, i) => texts.acquire(text, uses[i + 1]!))];
  return codes.map((code) => here[code]!);
}

function read(stored: string, columns: number): Block | undefined {
  try {
    const block = JSON.parse(stored) as Block;
    return block.format === FORMAT && block.columns.length === columns ? block : undefined;
  } catch {
    return undefined;
  }
}

const pack = ({ buffer, byteOffset, byteLength }: Uint8Array | Uint32Array | Float64Array): Packed =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');

/** Bytes in a buffer of their own, so that other arrays can be laid over them. */
const unpack = (packed: Packed): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(packed, 'base64'));
