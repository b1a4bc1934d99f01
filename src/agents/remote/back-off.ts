/** Pauses between attempts: doubling from `first` to `longest`, starting over whenever something was heard. */

export class BackOff {
  #quiet = 0;

  constructor(
    private readonly first: number,
    private readonly longest: number,
  ) {}

  /** Milliseconds to wait now; `asked`: what the other side wants at least. */
  next(asked: number | null = null): number {
    const ms = Math.min(this.longest, this.first * 2 ** this.#quiet++);
    return Math.max(ms, asked ?? 0);
  }

  heard(): void {
    this.#quiet = 0;
  }
}
