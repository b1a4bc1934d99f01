/**
 * Baseline (iii): Koa with LevelDB, fsynced at the start and at the end of each run. What durable acceptance and a
 * durable result cost at least; the deltas between are lost by a crash.
 *
 * Start: the run's record and the user's message, before the first frame. End: the record again, the answer and the log
 * of all events in one row, before the last frames. Commits are grouped: while one batch is being written the next forms.
 */

import { createServer } from 'node:http';
import { bodyParser } from '@koa/bodyparser';
import { ClassicLevel } from 'classic-level';
import Koa from 'koa';
import { headFrames, openRun, RESPONSE, speak, tailFrames, TEXTS } from '../work.mjs';
import { GroupCommit } from './group-commit.mjs';
import { HEADERS, isPaced, listen } from './serving.mjs';

const [directory] = process.argv.slice(2);
if (!directory) throw new Error('usage: koa-level.mjs DIRECTORY');

/** @type {ClassicLevel<string, string>} */
const db = new ClassicLevel(directory, { writeBufferSize: 16 * 1024 * 1024 });
await db.open();
const journal = new GroupCommit(db);

/** @typedef {import('../work.mjs').Run} Run */

/** @param {Run} run @param {'running' | 'done'} status */
const record = ({ run_id, thread_id, t0 }, status) =>
  JSON.stringify({
    run_id,
    thread_id,
    agent_id: 'assistant',
    parent_run_id: null,
    parent_thread_id: null,
    origin: 'user',
    status,
    termination_code: status === 'done' ? 'natural' : null,
    termination_detail: null,
    created_at: t0,
    updated_at: Date.now(),
    metadata: null,
  });

/** @param {Run} run */
const commitStart = (run) =>
  journal.commit([
    [`R${run.run_id}`, record(run, 'running')],
    [`C${run.thread_id}:0`, JSON.stringify({ id: run.run_id, role: 'user', content: run.question })],
  ]);

/** @param {Run} run */
const commitEnd = (run) =>
  journal.commit([
    [`R${run.run_id}`, record(run, 'done')],
    [`C${run.thread_id}:1`, JSON.stringify({ id: run.message_id, role: 'assistant', content: RESPONSE })],
    [`E${run.run_id}`, JSON.stringify({ t0: run.t0, events: TEXTS.map((delta) => ['text_delta', 0, { delta }]) })],
  ]);

const app = new Koa();
app.use(bodyParser());
app.use(async (ctx) => {
  const run = openRun(ctx.request.body);
  await commitStart(run);
  const { res } = ctx;
  ctx.set(HEADERS);
  ctx.status = 200;
  ctx.respond = false;
  res.write(headFrames(run));
  await speak(run, isPaced(ctx.path), (frame) => res.write(frame));
  await commitEnd(run);
  res.end(tailFrames(run));
});
listen(createServer(app.callback()), () => db.close());
