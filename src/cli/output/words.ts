/** Numbers in sentences. Pure. */

/** `1 run`, `3 runs`. */
export const counted = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;
