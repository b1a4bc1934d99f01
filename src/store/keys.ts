/**
 * The binary keys of the store: one function per family of rows, and the ranges over them.
 *
 * - The first byte names the family; ordinals are 48-bit big-endian, so byte order is number order; names and paths are
 *   utf8 at the end of a key, so no id of a client can imitate a separator.
 * - A range takes in exactly the rows its name says and never a row of another family or parent.
 * - An ordinal that is not an integer of 0 … 2^48-1 is a RangeError: a wrapped or cut number would be another row's key.
 *
 * The layout is replayed for ever: families may be added, none changed (`format.ts`).
 */

import type { Key, Range } from './port.js';

const ORDINAL_BYTES = 6;
/** Largest ordinal that a key has room for. */
export const MAX_ORDINAL = 2 ** 48 - 1;

/** Chunks begin below this, so that the first byte of their number sorts before the mark of the folded log. */
const MAX_SEQ = 2 ** 46 - 1;

const code = (letter: string): number => letter.charCodeAt(0);
const M = code('M');
const N = code('N');
const T = code('T');
const A = code('A');
const Q = code('Q');
const H = code('H');
const C = code('C');
const R = code('R');
const E = code('E');
const F = code('F');
const G = code('G');
const I = code('I');
const O = code('O');
const S = code('S');
const U = code('U');
const L = code('L');
const X = code('X');
const Y = code('Y');
const Z = code('Z');
const P = code('P');
const W = code('W');

function put(key: Key, ordinal: number, offset: number): void {
  // The range is checked by the write itself; it would take NaN for 0 and cut fractions off.
  if (!Number.isInteger(ordinal)) throw new RangeError(`an ordinal is an integer, not ${ordinal}`);
  key.writeUIntBE(ordinal, offset, ORDINAL_BYTES);
}

/** [family] [ordinal] */
function one(family: number, ordinal: number): Key {
  const key = Buffer.allocUnsafe(1 + ORDINAL_BYTES);
  key[0] = family;
  put(key, ordinal, 1);
  return key;
}

/** [family] [ordinal] [ordinal] */
function two(family: number, first: number, second: number): Key {
  const key = Buffer.allocUnsafe(1 + 2 * ORDINAL_BYTES);
  key[0] = family;
  put(key, first, 1);
  put(key, second, 1 + ORDINAL_BYTES);
  return key;
}

/** [I] [kind] [ordinal] [ordinal] */
function index(kind: number, from: number, to: number): Key {
  const key = Buffer.allocUnsafe(2 + 2 * ORDINAL_BYTES);
  key[0] = I;
  key[1] = kind;
  put(key, from, 2);
  put(key, to, 2 + ORDINAL_BYTES);
  return key;
}

/** [bytes of `head`] [utf8 of `text`] */
function named(head: readonly number[], text: string): Key {
  const key = Buffer.allocUnsafe(head.length + Buffer.byteLength(text));
  for (let i = 0; i < head.length; i++) key[i] = head[i]!;
  key.write(text, head.length, 'utf8');
  return key;
}

/** The first key after every key that begins with `prefix`. A family letter is never 0xff, so there always is one. */
function after(prefix: Key): Key {
  let end = prefix.length;
  while (prefix[end - 1] === 0xff) end--;
  const next = Buffer.from(prefix.subarray(0, end));
  next[end - 1]! += 1;
  return next;
}

const within = (prefix: Key): Range => ({ gte: prefix, lt: after(prefix) });
const upTo = (letter: number, to: number | undefined): Key =>
  to === undefined ? Buffer.of(letter + 1) : one(letter, to);
const family = (letter: number): Range => ({ gte: Buffer.of(letter), lt: Buffer.of(letter + 1) });

/** The rows of the family of a letter. */
export const familyOf = (letter: string): Range => family(code(letter));
/** Letters of the families there are, in the order of their rows. */
export const FAMILIES = [...'ACEGHILMNOPQRSTUWXYZ'];

/** Every row of the store. */
export const everything = (): Range => ({ gte: Buffer.of(0), lt: Buffer.of(0xff) });

/** M: what the store keeps about itself. */
export const meta = (name: string): Key => named([M], name);
/** Rows of `meta` whose name begins with `prefix`. */
export const metas = (prefix: string): Range => within(meta(prefix));

/** N t: thread id → ordinal. */
export const threadName = (id: string): Key => named([N, code('t')], id);
/** N r: run id → ordinals and body hash. */
export const runName = (id: string): Key => named([N, code('r')], id);

/** T: the thread's record. */
export const thread = (tno: number): Key => one(T, tno);
/** All thread records from `from` on and, if given, before `to`, in order of creation. */
export const allThreads = (from = 0, to?: number): Range => ({ gte: one(T, from), lt: upTo(T, to) });

/** A: a live actor of a thread's tree. */
export function actor(tno: number, path: string): Key {
  const key = Buffer.allocUnsafe(1 + ORDINAL_BYTES + Buffer.byteLength(path));
  key[0] = A;
  put(key, tno, 1);
  key.write(path, 1 + ORDINAL_BYTES, 'utf8');
  return key;
}
/** The live actors of one thread. */
export const actorsOf = (tno: number): Range => within(one(A, tno));
/** Every live actor: what recovery scans. */
export const allActors = (): Range => family(A);

/** Q: a queued entry. Sorts by priority from 255 down to 0, then by arrival `n`. */
export function queued(tno: number, priority: number, n: number): Key {
  if (!Number.isInteger(priority) || priority < 0 || priority > 255) {
    throw new RangeError(`a priority is an integer of 0 to 255, not ${priority}`);
  }
  const key = Buffer.allocUnsafe(2 + 2 * ORDINAL_BYTES);
  key[0] = Q;
  put(key, tno, 1);
  key[1 + ORDINAL_BYTES] = 255 - priority;
  put(key, n, 2 + ORDINAL_BYTES);
  return key;
}
/** The queued entries of a thread, the next one first. */
export const queuedOf = (tno: number): Range => within(one(Q, tno));

/** What every thread has queued, thread by thread: recovery scans it. */
export const allQueued = (): Range => family(Q);

/** H: an entry that has ended. */
export const history = (tno: number, n: number): Key => two(H, tno, n);
export const historyOf = (tno: number): Range => within(one(H, tno));

/** C: a message of a thread, by its cursor. */
export const message = (tno: number, cursor: number): Key => two(C, tno, cursor);
/** Messages with `afterCursor` < cursor < `beforeCursor`; a bound that is absent does not bind. */
export function messagesOf(tno: number, afterCursor = -1, beforeCursor?: number): Range {
  if (afterCursor >= MAX_ORDINAL) return { gte: after(one(C, tno)), lt: after(one(C, tno)) };
  const gte = message(tno, Math.max(afterCursor + 1, 0));
  return { gte, lt: beforeCursor === undefined ? after(one(C, tno)) : message(tno, Math.max(beforeCursor, 0)) };
}

/** R: a run's record. */
export const run = (rno: number): Key => one(R, rno);
/** All run records from `from` on and, if given, before `to`, in order of creation. */
export const allRuns = (from = 0, to?: number): Range => ({ gte: one(R, from), lt: upTo(R, to) });

/** E: a chunk of a run's log, by the number of its first event. */
export function logChunk(rno: number, firstSeq: number): Key {
  if (firstSeq > MAX_SEQ) throw new RangeError(`event ${firstSeq} is beyond the last one a log can hold`);
  return two(E, rno, firstSeq);
}
/** The chunks of a log that begin at event `fromSeq` or after it; never the folded log. */
export const logChunks = (rno: number, fromSeq = 0): Range => ({ gte: logChunk(rno, fromSeq), lt: foldedLog(rno) });
/** E rno F: the whole log of a finished run in one row. Sorts after all chunks of the run. */
export function foldedLog(rno: number): Key {
  const key = Buffer.allocUnsafe(2 + ORDINAL_BYTES);
  key[0] = E;
  put(key, rno, 1);
  key[1 + ORDINAL_BYTES] = F;
  return key;
}
/** The log of a run in whatever form: chunks and the folded one. */
export const logOf = (rno: number): Range => within(one(E, rno));

/** I t: a thread has this run. */
export const runOfThread = (tno: number, rno: number): Key => index(code('t'), tno, rno);
export const runsOfThread = (tno: number): Range => within(index(code('t'), tno, 0).subarray(0, 2 + ORDINAL_BYTES));
/** I p: a run has this child. */
export const runOfParent = (rno: number, childRno: number): Key => index(code('p'), rno, childRno);
export const runsOfParent = (rno: number): Range => within(index(code('p'), rno, 0).subarray(0, 2 + ORDINAL_BYTES));

/** I d: an ended entry that is a dead letter. */
export const deadLetter = (tno: number, n: number): Key => index(code('d'), tno, n);
export const deadLettersOf = (tno: number): Range => within(index(code('d'), tno, 0).subarray(0, 2 + ORDINAL_BYTES));
export const allDeadLetters = (): Range => within(Buffer.of(I, code('d')));
/** Reads an I d key. */
export const parseDeadLetter = (key: Key): [tno: number, n: number] => [indexOwnerOf(key), indexedOf(key)];

/** I l: a run has this row of the ledger, which is what a call of it came to late. */
export const lateOutcome = (rno: number, n: number): Key => index(code('l'), rno, n);
export const lateOutcomesOf = (rno: number): Range => within(index(code('l'), rno, 0).subarray(0, 2 + ORDINAL_BYTES));

/** O: a message to another thread, until it has been delivered. */
export const outbox = (tno: number, n: number): Key => two(O, tno, n);
export const outboxOf = (tno: number): Range => within(one(O, tno));
/** What every thread still has to deliver. */
export const allOutboxes = (): Range => family(O);

/** U: what an open run does differently from its agent's definition. */
export const overrides = (rno: number): Key => one(U, rno);

/** S: the state of a thread. */
export const state = (tno: number): Key => one(S, tno);

/** L: an entry of the operator's ledger. */
export const ledger = (n: number): Key => one(L, n);
export const allLedger = (from = 0): Range => ({ gte: one(L, from), lt: Buffer.of(L + 1) });

/** G: a thread whose rows are to be removed. */
export const grave = (tno: number): Key => one(G, tno);
export const allGraves = (): Range => family(G);

/** Every ended entry from that of thread `tno` and number `n` on, thread by thread. */
export const allHistory = (tno = 0, n = 0): Range => ({ gte: two(H, tno, n), lt: Buffer.of(H + 1) });

/** X: a page of the columns of all runs. */
export const runBlock = (page: number): Key => one(X, page);
/** X: the row of this run has changed since the block of its page was written. */
export const changedRun = (page: number, rno: number): Key => two(X, page, rno);
/** Each block, and behind it what has changed since. */
export const runBlocks = (): Range => family(X);
/** Y: the same for threads. */
export const threadBlock = (page: number): Key => one(Y, page);
export const changedThread = (page: number, tno: number): Key => two(Y, page, tno);
export const threadBlocks = (): Range => family(Y);
/** Whether an X or Y key is that of a block; the others are a page and an ordinal (`parsePair`). */
export const isBlock = (key: Key): boolean => key.length === 1 + ORDINAL_BYTES;

/** P: who is told of a run's changes (push notifications). */
export const push = (rno: number): Key => one(P, rno);

/** W: a push notification of a thread that was given up. */
export const deadPush = (tno: number, n: number): Key => two(W, tno, n);
export const deadPushesOf = (tno: number): Range => within(one(W, tno));
/** What was given up, thread by thread. */
export const allDeadPushes = (): Range => family(W);

/** Z: a run that has ended, by when (unix milliseconds). */
export const ended = (at: number, rno: number): Key => two(Z, at, rno);
/** The runs that ended before `until`, the first to end first; from that one on, if given. */
export const endedBefore = (until: number, [at, rno]: readonly [at: number, rno: number] = [0, 0]): Range => ({
  gte: ended(at, rno),
  lt: ended(Math.max(until, at), 0),
});

/** Whether it is the key of a run's or a thread's record. */
export const isRun = (key: Key): boolean => key[0] === R;
export const isThread = (key: Key): boolean => key[0] === T;

/** Reads an A key. */
export const parseActor = (key: Key): { tno: number; path: string } => ({
  tno: key.readUIntBE(1, ORDINAL_BYTES),
  path: key.toString('utf8', 1 + ORDINAL_BYTES),
});

/** Reads a Q key. */
export const parseQueued = (key: Key): { tno: number; priority: number; n: number } => ({
  tno: key.readUIntBE(1, ORDINAL_BYTES),
  priority: 255 - key[1 + ORDINAL_BYTES]!,
  n: key.readUIntBE(2 + ORDINAL_BYTES, ORDINAL_BYTES),
});

/** Reads a key of two numbers: H (tno, n), C (tno, cursor), E chunks (rno, firstSeq), O (tno, n), Z (at, rno). */
export const parsePair = (key: Key): [number, number] => [
  key.readUIntBE(1, ORDINAL_BYTES),
  key.readUIntBE(1 + ORDINAL_BYTES, ORDINAL_BYTES),
];

/** The number of the first event in an E chunk key. */
export const firstSeqOf = (key: Key): number => key.readUIntBE(1 + ORDINAL_BYTES, ORDINAL_BYTES);
/** The first ordinal of a key of any family but M, N, I and Z: of the thread, the run or the ledger's entry. */
export const ordinalOf = (key: Key): number => key.readUIntBE(1, ORDINAL_BYTES);
/** Whose index an I key is of: the ordinal of a thread (t, d) or a run (p, l). */
export const indexOwnerOf = (key: Key): number => key.readUIntBE(2, ORDINAL_BYTES);
/** What an I key points to: a run (t, p), an ended entry (d), a row of the ledger (l). */
export const indexedOf = (key: Key): number => key.readUIntBE(2 + ORDINAL_BYTES, ORDINAL_BYTES);
