/**
 * Texts as small numbers, so that a column of them is a typed array. 0 is "none".
 *
 * A text keeps its number while it is in use; when its last user releases it, it is forgotten and its number is given to
 * another one: a dictionary is never larger than what stands in the columns.
 */

export class Dictionary {
  readonly #codes = new Map<string, number>();
  readonly #texts: string[] = [''];
  readonly #uses: number[] = [0];
  readonly #free: number[] = [];

  /** Texts in use. */
  get size(): number {
    return this.#codes.size;
  }

  /** The number of a text that is in use; undefined: no row has it. */
  find(text: string): number | undefined {
    return this.#codes.get(text);
  }

  /** The text of a number in use; null for "none". */
  text(code: number): string | null {
    return code === 0 ? null : (this.#texts[code] ?? null);
  }

  /** The number of a text, which has one more user now, or as many as `uses` says. */
  acquire(text: string | null, uses = 1): number {
    if (text === null || uses === 0) return 0;
    const known = this.#codes.get(text);
    if (known !== undefined) {
      this.#uses[known]! += uses;
      return known;
    }
    const code = this.#free.pop() ?? this.#texts.length;
    this.#codes.set(text, code);
    this.#texts[code] = text;
    this.#uses[code] = uses;
    return code;
  }

  /** A user of the text has gone. */
  release(code: number): void {
    if (code === 0 || --this.#uses[code]! > 0) return;
    this.#codes.delete(this.#texts[code]!);
    this.#texts[code] = '';
    this.#free.push(code);
  }
}
