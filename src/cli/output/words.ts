/** Numbers and names in sentences. Pure. */

/** Names in a sentence, not more than anybody reads: `a, b, c and 9 others`. */
export function some(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN).join(', ');
  const others = names.length - SHOWN;
  return others > 0 ? `${shown} and ${counted(others, 'other')}` : shown;
}

const SHOWN = 5;

/** `1 run`, `3 runs`. */
export const counted = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;
