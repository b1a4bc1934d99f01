/**
 * Groups commits into synced LevelDB batches without a timer: while one batch is being written, the commits that arrive
 * form the next. A failed batch rejects all of its commits.
 */

/** @typedef {[key: string, value: string][]} Rows */

export class GroupCommit {
  /** @type {{ rows: Rows, resolve: () => void, reject: (error: unknown) => void }[]} */
  #waiting = [];
  #writing = false;
  #db;

  /** @param {import('classic-level').ClassicLevel<string, string>} db */
  constructor(db) {
    this.#db = db;
  }

  /** Resolves when the rows are on the disk. @param {Rows} rows @returns {Promise<void>} */
  commit(rows) {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ rows, resolve, reject });
      if (!this.#writing) void this.#write();
    });
  }

  async #write() {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      const batch = this.#db.batch();
      for (const { rows } of group) for (const [key, value] of rows) batch.put(key, value);
      try {
        await batch.write({ sync: true });
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#writing = false;
  }
}
