/** Numbers that look random and are the same for the same seed: what a failure printed can be run again. */

/** An integer from 0 up to, but not including, `n`. */
export type Dice = (n: number) => number;

export function dice(seed: number): Dice {
  let s = seed;
  return (n) => {
    s = (Math.imul(s, 1_664_525) + 1_013_904_223) | 0;
    return (s >>> 8) % n;
  };
}
