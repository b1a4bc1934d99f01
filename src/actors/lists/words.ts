/** The words of a short list as small numbers, for a column. 0 is a word that this build does not know. */

export class Words<T extends string> {
  readonly #codes: Map<string, number>;

  constructor(readonly all: readonly T[]) {
    this.#codes = new Map(all.map((word, i) => [word, i + 1]));
  }

  code(word: T | null): number {
    return word === null ? 0 : (this.#codes.get(word) ?? 0);
  }

  text(code: number): T | null {
    return this.all[code - 1] ?? null;
  }

  /** The same as `code`, for a text that comes from elsewhere. */
  acquire(text: string | null): number {
    return this.code(text as T | null);
  }
}
