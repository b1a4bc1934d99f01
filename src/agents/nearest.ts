/**
 * The known word a mistyped one most likely meant. Pure.
 */

/** The nearest candidate by edit distance, if it is near enough to be a likely slip; else undefined. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[_-]/g, '');
  let best: string | undefined;
  let least = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const steps = distance(plain(word), plain(candidate));
    if (steps < least) [best, least] = [candidate, steps];
  }
  return best;
}

/** Levenshtein. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length]!;
}
