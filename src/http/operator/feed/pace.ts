/** Lets something happen at most once in a while: at once after a rest, else as soon as the rest is over. */
export class Pace {
  #resting: NodeJS.Timeout | null = null;

  /** @param again called at the end of every rest: somebody may have been told to wait. */
  constructor(
    private readonly every_ms: number,
    private readonly again: () => void,
  ) {}

  /** Whether it may happen now, which begins a rest. */
  take(): boolean {
    if (this.#resting) return false;
    this.#resting = setTimeout(() => {
      this.#resting = null;
      this.again();
    }, this.every_ms).unref();
    return true;
  }

  stop(): void {
    clearTimeout(this.#resting ?? undefined);
    this.#resting = null;
  }
}
