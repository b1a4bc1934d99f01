/**
 * The records of a server that has run for long: any number of runs and threads, each a pure function of its number, so
 * that whoever wrote them and whoever checks an answer need not share memory. Everything has ended; what is open is
 * added to them by the server itself.
 */

const T0 = Date.UTC(2026, 0, 1);
/** Runs come two to a millisecond, and the odd one a second later: ties and gaps. */
const createdAt = (/** @type {number} */ i) => T0 + (i >> 1) * 40 + (i % 16 === 15 ? 1000 : 0);

const AGENTS = ['assistant', 'approver', 'worker', 'painter', 'slow', 'failing'];
const ORIGINS = /** @type {const} */ (['user', 'user', 'user', 'user', 'ag_ui', 'ai_sdk', 'a2a', 'internal']);
const CODES = ['natural', 'natural', 'natural', 'natural', 'natural', 'error', 'cancelled', 'timeout_reached'];

/** An integer below `n` that follows from `i`; `salt` gives another one. */
function draw(/** @type {number} */ i, /** @type {number} */ salt, /** @type {number} */ n) {
  let h = Math.imul(i + 1, 0x9e3779b1) ^ Math.imul(salt + 1, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return ((h ^ (h >>> 16)) >>> 0) % n;
}

const hex = (/** @type {number} */ value, /** @type {number} */ digits) => value.toString(16).padStart(digits, '0');

/** A UUID of version 7, as the server makes them. */
function uuid(/** @type {number} */ i, /** @type {number} */ salt, /** @type {number} */ at) {
  const time = hex(at, 12);
  const [a, b, c] = [draw(i, salt, 0x1000), draw(i, salt + 1, 0x4000), draw(i, salt + 2, 2 ** 32)];
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(a, 3)}-${hex(0x8000 + b, 4)}-${hex(c, 8)}${hex(i & 0xffff, 4)}`;
}

/** @typedef {import('../../dist/actors/records.js').RunRecord} RunRecord */

export class Records {
  /** @param {number} runs @param {number} threads at most as many as runs */
  constructor(runs, threads) {
    this.runs = runs;
    this.threads = threads;
  }

  /** The thread of a run; the first runs are the first ones of their threads. @param {number} rno */
  threadOf(rno) {
    return rno < this.threads ? rno : draw(rno, 1, this.threads);
  }

  /** @param {number} rno */
  runId(rno) {
    return uuid(rno, 10, createdAt(rno));
  }

  /** Half of the threads have the ids of the server, half those of clients. @param {number} tno */
  threadId(tno) {
    return tno % 2 === 0 ? uuid(tno, 20, createdAt(tno)) : `chat-${tno}`;
  }

  /** One user has some threads; one in ten is nobody's. @param {number} tno */
  resourceOf(tno) {
    const user = draw(tno, 2, Math.max(10, Math.ceil(this.threads / 9)));
    return draw(tno, 3, 10) === 0 ? null : `user-${user}`;
  }

  /** @param {number} rno @returns {RunRecord} */
  run(rno) {
    const tno = this.threadOf(rno);
    const created_at = createdAt(rno);
    const parent = rno > 100 && draw(rno, 4, 50) === 0 ? rno - 1 - draw(rno, 5, 100) : null;
    return {
      run_id: this.runId(rno),
      thread_id: this.threadId(tno),
      agent_id: /** @type {string} */ (AGENTS[draw(rno, 6, AGENTS.length)]),
      parent_run_id: parent === null ? null : this.runId(parent),
      parent_thread_id: parent === null ? null : this.threadId(this.threadOf(parent)),
      origin: parent === null ? /** @type {RunRecord['origin']} */ (ORIGINS[draw(rno, 7, ORIGINS.length)]) : 'subagent',
      status: 'done',
      termination_code: /** @type {RunRecord['termination_code']} */ (CODES[draw(rno, 8, CODES.length)]),
      termination_detail: null,
      created_at,
      updated_at: created_at + 100 + draw(rno, 9, 60_000),
      metadata: null,
      input_tokens: 20 + draw(rno, 10, 2000),
      output_tokens: 36,
      source_mailbox_entry_id: null,
      resource_id: this.resourceOf(tno),
    };
  }

  /** @param {number} tno @param {number} runs how many it has had @param {number} updated_at of the last one */
  thread(tno, runs, updated_at) {
    return {
      thread_id: this.threadId(tno),
      resource_id: this.resourceOf(tno),
      created_at: createdAt(tno),
      updated_at,
      messages: 2 * runs,
    };
  }
}
