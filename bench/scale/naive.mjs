/**
 * What the lists must answer, worked out the slow way: every record is looked at, one field after the other. Shares
 * nothing with the server but the records.
 */

/** @typedef {import('./records.mjs').Records} Records
 *  @typedef {Record<string, string | number>} Filter parameters as the routes take them
 *  @typedef {{ total: number, ids: string[] }} Answer */

export class Naive {
  /** Runs by creation time, then id. @type {import('../../dist/actors/records.js').RunRecord[]} */
  runs = [];
  /** @type {ReturnType<Records['thread']>[]} */
  threads = [];

  /** @param {Records} records */
  constructor(records) {
    const had = new Uint32Array(records.threads);
    const last = new Uint32Array(records.threads);
    for (let rno = 0; rno < records.runs; rno++) {
      const tno = records.threadOf(rno);
      had[tno] = (had[tno] ?? 0) + 1;
      last[tno] = rno;
      this.runs.push(records.run(rno));
    }
    for (let tno = 0; tno < records.threads; tno++)
      this.threads.push(records.thread(tno, had[tno] ?? 0, records.run(last[tno] ?? 0).updated_at));
    this.runs.sort((a, b) => a.created_at - b.created_at || compare(a.run_id, b.run_id));
    this.threads.sort((a, b) => a.created_at - b.created_at || compare(a.thread_id, b.thread_id));
  }

  /** @param {Filter} filter @returns {Answer} */
  listRuns({ order, offset = 0, limit = 50, ...filter }) {
    const { created_at_from, created_at_to, updated_at_from, updated_at_to, ...equal } = filter;
    const names = /** @type {(keyof typeof this.runs[0])[]} */ (Object.keys(equal));
    const found = this.runs.filter(
      (run) =>
        names.every((name) => run[name] === equal[name]) &&
        within(run.created_at, created_at_from, created_at_to) &&
        within(run.updated_at, updated_at_from, updated_at_to),
    );
    return cut(
      found.map(({ run_id }) => run_id),
      order,
      +offset,
      +limit,
    );
  }

  /** The last changed first. @param {Filter} filter @returns {Answer} */
  listSummaries({ offset = 0, limit = 50, resource_id }) {
    const found = this.threads.filter((thread) => resource_id === undefined || thread.resource_id === resource_id);
    found.sort((a, b) => b.updated_at - a.updated_at || compare(a.thread_id, b.thread_id));
    return cut(
      found.map(({ thread_id }) => thread_id),
      'asc',
      +offset,
      +limit,
    );
  }
}

/** @param {string[]} ids @param {unknown} order @param {number} offset @param {number} limit @returns {Answer} */
function cut(ids, order, offset, limit) {
  if (order === 'desc') ids.reverse();
  return { total: ids.length, ids: ids.slice(offset, offset + limit) };
}

const compare = (/** @type {string} */ a, /** @type {string} */ b) => (a < b ? -1 : a > b ? 1 : 0);

/** @param {number} at @param {string | number | undefined} from @param {string | number | undefined} to */
const within = (at, from, to) => (from === undefined || at >= +from) && (to === undefined || at <= +to);
