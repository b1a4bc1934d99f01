/** Values as short text for cells of tables. Pure. */

/** One line: runs of blanks and line ends become one blank. */
export const compact = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** JSON without the quotes of a plain text. */
export const brief = (value: unknown): string => compact(typeof value === 'string' ? value : JSON.stringify(value));

/** `12:03:04.123`, of this machine's zone. */
export function clock(ms: number): string {
  const at = new Date(ms);
  const two = (n: number): string => String(n).padStart(2, '0');
  const millis = String(at.getMilliseconds()).padStart(3, '0');
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${millis}`;
}
