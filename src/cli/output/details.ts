/** One record as lines for people: `name  value`, nested values as JSON, times with their age. Pure. */

import { cells, pad, segment, span, type Line } from '../rail/index.js';

/** Fields in the order they come; those without a value are left out. */
export function toDetails(item: object, now: number): Line[] {
  const fields = Object.entries(item).filter(([, value]) => value !== undefined && value !== null);
  const width = Math.max(0, ...fields.map(([name]) => cells(name)));
  return fields.flatMap(([name, value]) => {
    const rows = textOf(name, value, now).split('\n');
    return rows.map((row, i): Line => [segment(`${pad(i === 0 ? name : '', width)}  `, 'dim'), segment(row)]);
  });
}

function textOf(name: string, value: unknown, now: number): string {
  if (typeof value === 'number' && isTime(name)) return `${new Date(value).toISOString()} (${span(now - value)} ago)`;
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.length > 0 && typeof value[0] === 'object') {
    return value.map((item) => JSON.stringify(item)).join('\n');
  }
  return JSON.stringify(value);
}

const isTime = (name: string): boolean => /^(since|at|.*_at)$/.test(name);
