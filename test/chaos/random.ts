/** Numbers that look random and are the same for the same seed: what a failure printed can be run again. */

export type Random = {
  /** In [0, 1). */
  next(): number;
  /** An integer, both ends included. */
  between(low: number, high: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  /** One of the choices, as often as its weight says. */
  pick<T>(choices: readonly (readonly [weight: number, choice: T])[]): T;
};

/** A stream of its own for every combination of keys, so that one draw more here changes nothing there. */
export function random(...keys: (number | string)[]): Random {
  let state = hash(keys.join('/'));
  const next = (): number => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    chance: (probability) => next() < probability,
    pick(choices) {
      let left = next() * choices.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, choice] of choices) if ((left -= weight) < 0) return choice;
      return choices.at(-1)![1];
    },
  };
}

function hash(text: string): number {
  let h = 2166136261;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 16777619);
  return h >>> 0;
}
