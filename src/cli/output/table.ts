/** Records as a table for people: a row each, columns as wide as their widest cell. Pure. */

import { cells, harmless, pad, padStart, segment, type Line, type Style } from '../rail/segments.js';

export type Column<T> = {
  title: string;
  /** Only with `-o wide`. */
  wide?: true;
  /** Numbers stand below each other. */
  right?: true;
  cell: (item: T, now: number) => string;
  style?: (item: T) => Style;
};

export type TableOptions = { now: number; wide: boolean };

/** The header, then the rows. The last column is not filled up, so that nothing ends in blanks. */
export function toTable<T>(items: readonly T[], columns: readonly Column<T>[], options: TableOptions): Line[] {
  const shown = columns.filter(({ wide }) => options.wide || !wide);
  const texts = items.map((item) => shown.map((column) => harmless(column.cell(item, options.now)) || '-'));
  const widths = shown.map(({ title }, i) => Math.max(cells(title), ...texts.map((row) => cells(row[i]!))));
  const fit = (text: string, i: number): string => {
    if (shown[i]!.right) return padStart(text, widths[i]!);
    return i === shown.length - 1 ? text : pad(text, widths[i]!);
  };
  const rowOf = (row: readonly string[], styleOf: (i: number) => Style): Line =>
    row.flatMap((text, i) => [...(i > 0 ? [segment('  ')] : []), segment(fit(text, i), styleOf(i))]);
  const titles = shown.map(({ title }) => title);
  return [
    rowOf(titles, () => 'dim'),
    ...texts.map((row, n) => rowOf(row, (i) => shown[i]!.style?.(items[n]!) ?? 'plain')),
  ];
}
