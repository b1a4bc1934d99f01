/**
 * The engine port's contract (`engine.ts`) as tests, for any implementation. They use agents whose models and tools wait
 * for the test, so every order of things is the test's own.
 */

import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineAgent } from '../agents/agent.js';
import { finish, say, toolCall, type Part } from '../agents/scripted/parts.js';
import { scriptedModel, type Script } from '../agents/scripted/model.js';
import { createAgentRegistry } from '../agents/registry.js';
import { defineTool } from '../agents/tool.js';
import type { AgentRegistry } from '../agents/types.js';
import { ErrorCode } from '../errors.js';
import type { Command, HostedEngine, StartRequest } from './engine.js';
import { canonicalEvents, type CanonicalEvent } from './events.js';
import type { RuntimeLimits } from './host/limits.js';
import type { ActorFilter } from './inspection.js';
import type { DeliverPush, PushConfig } from './push/types.js';
import type { Decision, Message, RunRecord } from './records.js';

export type OpenOptions = { limits?: Partial<RuntimeLimits>; deliverPush?: DeliverPush };

export interface Place {
  /** Opens an engine on what the last one here left; empty at first. */
  open(agents: AgentRegistry, options: OpenOptions): Promise<HostedEngine>;
  remove(): Promise<void>;
}

/** A door that the world waits at until the test opens it. */
class Gate {
  open: () => void = () => {};
  readonly opened = new Promise<void>((resolve) => (this.open = resolve));
}

/** What the agents do and wait for. */
class World {
  readonly gates = new Map<string, Gate>();
  readonly executed: string[] = [];

  gate(name: string): Gate {
    const known = this.gates.get(name) ?? new Gate();
    this.gates.set(name, known);
    return known;
  }

  /**
   * `talker` says its question word by word · `slow` speaks once its gate `speak <question>` is open ·
   * `speller` says twelve letters, each behind a gate of its own · `asker` calls a tool
   * that a person must approve.
   */
  agents(): AgentRegistry {
    const pay = defineTool({
      name: 'pay',
      description: 'pays',
      input: { type: 'object' },
      permission: 'ask',
      execute: (_, { call_id }) => {
        this.executed.push(call_id);
        return 'paid';
      },
    });
    const agent = (id: string, script: Script, more: object = {}) =>
      defineAgent({ id, model: scriptedModel(script), ...more });
    const call = (id: string): Part[] => [...toolCall(id, 'pay'), finish('tool-calls')];
    const slow = async function* (this: void, world: World, question: string): AsyncGenerator<Part> {
      await world.gate(`speak ${question}`).opened;
      yield* say(...question.split(' '));
    };
    const spell = async function* (this: void, world: World, question: string): AsyncGenerator<Part> {
      yield { type: 'text-start', id: 't' };
      for (let letter = 0; letter < 12; letter++) {
        await world.gate(`letter ${letter} of ${question}`).opened;
        yield { type: 'text-delta', id: 't', delta: `${letter}` };
      }
      await world.gate(`end of ${question}`).opened;
      yield { type: 'text-end', id: 't' };
      yield finish();
    };
    return createAgentRegistry([
      agent('talker', ({ prompt }) => say(...lastSaid(prompt).split(' '))),
      agent('slow', ({ prompt }) => slow(this, lastSaid(prompt))),
      agent('speller', ({ prompt }) => spell(this, lastSaid(prompt))),
      agent(
        'asker',
        ({ prompt }) => (prompt.at(-1)!.role === 'tool' ? say('done') : call(`call of ${lastSaid(prompt)}`)),
        { tools: [pay] },
      ),
    ]);
  }
}

type Prompt = Parameters<Script>[0]['prompt'];
const lastSaid = (prompt: Prompt): string => {
  const last = prompt.findLast((message) => message.role === 'user');
  return last ? (last.content as { text: string }[])[0]!.text : '';
};

const code = (wanted: ErrorCode): unknown => expect.objectContaining({ code: wanted });

let decisions = 0;
const decision = (target_id: string, change: Partial<Decision> = {}): Decision => ({
  target_id,
  decision_id: `d${decisions++}`,
  action: 'resume',
  result: { approved: true },
  updated_at: 0,
  ...change,
});

export function engineConformance(name: string, makePlace: () => Promise<Place>): void {
  describe(`engine: ${name}`, () => {
    let place: Place;
    let world: World;
    let engine: HostedEngine;

    beforeEach(async () => {
      place = await makePlace();
      world = new World();
      engine = await place.open(world.agents(), {});
    });
    afterEach(async () => {
      await engine.close(0);
      await place.remove();
    });

    async function reopen(options: OpenOptions = {}): Promise<void> {
      await engine.close(0);
      engine = await place.open(world.agents(), options);
    }

    const request = (agent_id: string, said: string | null, more: Partial<StartRequest> = {}): StartRequest => ({
      agent_id,
      origin: 'user',
      on_busy: 'enqueue',
      messages: said === null ? [] : [{ role: 'user', content: said }],
      ...more,
    });
    const start = async (agent_id: string, said: string | null, more: Partial<StartRequest> = {}): Promise<RunRecord> =>
      (await engine.deliver({ type: 'start', start: request(agent_id, said, more) })).run;
    const decide = (run_id: string, ...all: Decision[]) => engine.deliver({ type: 'decide', run_id, decisions: all });
    const cancel = (run_id: string) => engine.deliver({ type: 'cancel', run_id });
    const readRun = async (run_id: string): Promise<RunRecord> => (await engine.read({ kind: 'run', run_id }))!;
    const readMessages = (thread_id: string, range = {}) => engine.read({ kind: 'messages', thread_id, ...range });

    /** Events after `after` until `until` says so (and nothing more is at hand), or to the end. */
    async function events(run_id: string, after = -1, until?: (event: CanonicalEvent) => boolean) {
      const reader = await engine.readEvents(run_id, after);
      const seen: CanonicalEvent[] = [];
      for (let slice = await reader.next(); slice; slice = await reader.next()) {
        seen.push(...canonicalEvents(slice.chunk, reader.run, slice.from));
        if (until && reader.caughtUp && until(seen.at(-1)!)) break;
      }
      reader.close();
      return seen;
    }
    const untilWaiting = (run_id: string) => events(run_id, -1, ({ type }) => type === 'run_waiting');
    /** A run at its pause: its record and its log so far. */
    async function paused(said: string, more: Partial<StartRequest> = {}) {
      const { run_id } = await start('asker', said, more);
      const log = await untilWaiting(run_id);
      return { run: await readRun(run_id), log };
    }
    /** The run is being inferred: its first step has begun. */
    const inferring = (run_id: string) => events(run_id, -1, ({ type }) => type === 'step_start');

    describe('push notifications', () => {
      const config: PushConfig = { id: 'c', url: 'http://x/', token: 't', authentication: null, version: '1.0' };
      const push = (run_id: string) => engine.read({ kind: 'push', run_id });

      it('who is told of a run is kept, replaced by id, and removed, also once the run has ended', async () => {
        await reopen({ deliverPush: async () => {} });
        const { run } = await paused('x');
        const { run_id } = run;
        await engine.deliver({ type: 'set_push', run_id, config });
        await engine.deliver({ type: 'set_push', run_id, config: { ...config, url: 'http://y/' } });
        await reopen({ deliverPush: async () => {} });
        expect(await push(run_id)).toEqual([{ ...config, url: 'http://y/' }]);
        await cancel(run_id);
        await events(run_id);
        await engine.deliver({ type: 'set_push', run_id, config: { ...config, id: 'd' } });
        expect((await push(run_id))!.map(({ id }) => id)).toEqual(['c', 'd']);
        expect(await engine.deliver({ type: 'delete_push', run_id, config_id: 'c' })).toEqual({ deleted: true });
        expect((await push(run_id))!.map(({ id }) => id)).toEqual(['d']);
      });

      it('what was not delivered is delivered by the next engine', async () => {
        await reopen({ deliverPush: () => new Promise(() => {}) });
        const { run_id } = await start('talker', 'x', { push: config });
        await events(run_id);
        const told: string[] = [];
        await reopen({ deliverPush: async ({ news }) => void told.push(news.run.status) });
        await expect.poll(() => told).toEqual(['running', 'done']);
      });

      it('are refused where nobody delivers them, and for runs that are not there', async () => {
        const { run_id } = await start('talker', 'x');
        const set = (run_id: string) => engine.deliver({ type: 'set_push', run_id, config });
        await expect(set(run_id)).rejects.toEqual(code(ErrorCode.badRequest));
        await reopen({ deliverPush: async () => {} });
        await expect(set('nobody')).rejects.toEqual(code(ErrorCode.runNotFound));
        expect(await push('nobody')).toBeUndefined();
        const retry = engine.deliver({ type: 'retry_push', dead_letter_id: '1-1' });
        await expect(retry).rejects.toEqual(code(ErrorCode.entryNotFound));
      });
    });

    describe('what was delivered can be read (read-your-writes)', () => {
      it('a start: the run, its thread, its messages, its first event', async () => {
        const run = await start('slow', 'hello', { thread_id: 't', run_id: 'r', metadata: { a: 1 } });
        expect(run).toMatchObject({
          run_id: 'r',
          thread_id: 't',
          agent_id: 'slow',
          origin: 'user',
          status: 'running',
          termination_code: null,
          metadata: { a: 1 },
        });
        expect(await readRun('r')).toEqual(run);
        expect(await engine.read({ kind: 'thread', thread_id: 't' })).toMatchObject({
          thread_id: 't',
          status: 'running',
          active_run_id: 'r',
          generation: 0,
          message_count: 1,
          queued_count: 0,
        });
        expect(await readMessages('t')).toMatchObject([{ cursor: 0, role: 'user', content: 'hello', run_id: 'r' }]);
        const reader = await engine.readEvents('r', -1);
        expect((await reader.next())!.chunk.events[0]![0]).toBe('run_start');
        reader.close();
      });

      it('a queued start, a cancel, an interrupt, decisions, a state', async () => {
        const first = await start('slow', 'one', { thread_id: 't' });
        const second = await start('talker', 'two', { thread_id: 't' });
        expect([second.status, second.termination_code]).toEqual(['waiting', 'queued']);
        expect(await engine.read({ kind: 'thread', thread_id: 't' })).toMatchObject({ queued_count: 1 });
        expect((await cancel(second.run_id)).run).toMatchObject({ status: 'done', termination_code: 'cancelled' });
        expect(await readRun(second.run_id)).toMatchObject({ status: 'done', termination_code: 'cancelled' });
        const third = await start('talker', 'three', { thread_id: 't' });
        const cut = await engine.deliver({ type: 'interrupt', thread_id: 't' });
        expect(cut).toMatchObject({
          thread_id: 't',
          generation: 1,
          cancelled_run_id: first.run_id,
          superseded_pending_count: 1,
          superseded_pending_entry_ids: [third.source_mailbox_entry_id],
        });
        expect(await readRun(first.run_id)).toMatchObject({
          termination_code: 'cancelled',
          termination_detail: 'interrupted',
        });
        expect(await readRun(third.run_id)).toMatchObject({ termination_code: 'superseded' });
        expect(await engine.read({ kind: 'thread', thread_id: 't' })).toMatchObject({ status: 'idle', generation: 1 });

        await start('talker', 'four', { thread_id: 't', state: { a: { b: 1 }, c: 2 } });
        await start('talker', 'five', { thread_id: 't', state: { a: { b: null }, d: 3 }, on_busy: 'interrupt' });
        expect(await engine.read({ kind: 'state', thread_id: 't' })).toEqual({ a: {}, c: 2, d: 3 });
      });

      it('what does not exist is undefined', async () => {
        expect(await engine.read({ kind: 'run', run_id: 'none' })).toBeUndefined();
        expect(await engine.read({ kind: 'thread', thread_id: 'none' })).toBeUndefined();
        expect(await engine.read({ kind: 'messages', thread_id: 'none' })).toBeUndefined();
        expect(await engine.read({ kind: 'state', thread_id: 'none' })).toBeUndefined();
      });

      it('ids are generated when there are none, and every run has one of its own', async () => {
        const runs = await Promise.all([start('talker', 'a'), start('talker', 'b')]);
        expect(new Set(runs.flatMap(({ run_id, thread_id }) => [run_id, thread_id])).size).toBe(4);
      });
    });

    describe('the log of a run', () => {
      it('is dense from 0, begins with run_start, and ends with its only run_finish', async () => {
        const run = await start('talker', 'one two three');
        const log = await events(run.run_id);
        expect(log.map(({ seq }) => seq)).toEqual(log.map((_, i) => i));
        expect(log.map(({ type }) => type)).toEqual([
          'run_start',
          'step_start',
          'text_delta',
          'text_delta',
          'text_delta',
          'inference_complete',
          'step_end',
          'run_finish',
        ]);
        expect(log.at(-1)).toMatchObject({
          run_id: run.run_id,
          thread_id: run.thread_id,
          data: { termination: { code: 'natural', detail: null }, result: { response: 'onetwothree' } },
        });
      });

      it('goes on after every event exactly where it is asked to, stored or live', async () => {
        const run = await start('talker', 'a b c d e');
        const whole = await events(run.run_id);
        for (let after = -1; after <= whole.length; after++)
          expect(await events(run.run_id, after)).toEqual(whole.slice(after + 1));
        await reopen();
        for (let after = -1; after <= whole.length; after++)
          expect(await events(run.run_id, after)).toEqual(whole.slice(after + 1));
      });

      it('goes on after every event of a run that is still open', async () => {
        const { run, log } = await paused('x');
        const readers = log.map((_, i) => events(run.run_id, i - 1));
        await turn();
        await decide(run.run_id, decision('call of x'));
        const whole = await events(run.run_id);
        expect(whole.slice(0, log.length)).toEqual(log);
        expect(await Promise.all(readers)).toEqual(log.map((_, i) => whole.slice(i)));
      });

      it('is the same for all readers at the same time', async () => {
        const run = await start('slow', 'word '.repeat(50).trim());
        const readers = Array.from({ length: 20 }, () => events(run.run_id));
        await turn();
        world.gate(`speak ${'word '.repeat(50).trim()}`).open();
        const logs = await Promise.all(readers);
        for (const log of logs) expect(log).toEqual(logs[0]);
      });

      it('lets go a reader that is closed while it waits', async () => {
        const run = await start('slow', 'never');
        const reader = await engine.readEvents(run.run_id, 1);
        expect(reader.caughtUp).toBe(true);
        const next = reader.next();
        reader.close();
        expect(await next).toBeUndefined();
        expect(await reader.next()).toBeUndefined();
      });

      it('gives a reader that is far behind the live end everything, once', async () => {
        await reopen({ limits: { feed_chunks: 1 } });
        const run = await start('speller', 'x');
        const behind = await engine.readEvents(run.run_id, -1);
        const seen: CanonicalEvent[] = [];
        const pull = async (): Promise<boolean> => {
          const slice = await behind.next();
          if (slice) seen.push(...canonicalEvents(slice.chunk, run, slice.from));
          return slice !== undefined;
        };
        for (let letter = 0; letter < 12; letter++) {
          world.gate(`letter ${letter} of x`).open();
          await events(run.run_id, -1, (event) => event.type === 'text_delta' && event.data.delta === `${letter}`);
          // It takes one chunk where three are written.
          if (letter % 3 === 0) await pull();
        }
        world.gate('end of x').open();
        while (await pull());
        expect(seen).toEqual(await events(run.run_id));
      });

      it('is refused for a run that is not there', async () => {
        await expect(engine.readEvents('none', -1)).rejects.toEqual(code(ErrorCode.runNotFound));
      });
    });

    describe('claims of run ids (CONTRACT 1.10)', () => {
      it('a free id is claimed; the same body finds its run, another one is told apart', async () => {
        expect(await engine.claimRun('r', 'body')).toEqual({ claimed: true });
        const run = await start('talker', 'x', { run_id: 'r' });
        const found = { claimed: false, run_id: 'r', thread_id: run.thread_id };
        expect(await engine.claimRun('r', 'body')).toEqual({ ...found, same_body: true });
        expect(await engine.claimRun('r', 'other')).toEqual({ ...found, same_body: false });
        await reopen();
        expect(await engine.claimRun('r', 'body')).toEqual({ ...found, same_body: true });
        expect(await engine.claimRun('r', 'other')).toEqual({ ...found, same_body: false });
      });

      it('a run is found by the body of its start, and nothing is reserved by the asking', async () => {
        await engine.claimRun('r', 'body');
        await start('talker', 'x', { run_id: 'r' });
        expect(await engine.read({ kind: 'run', run_id: 'r', body_hash: 'body' })).toMatchObject({ run_id: 'r' });
        expect(await engine.read({ kind: 'run', run_id: 'r', body_hash: 'other' })).toBeUndefined();
        expect(await engine.read({ kind: 'run', run_id: 'none', body_hash: 'body' })).toBeUndefined();
        expect(await start('talker', 'x', { run_id: 'none' })).toMatchObject({ run_id: 'none' });
      });

      it('of many at the same instant one gets it, the others are told whose it is', async () => {
        const all = await Promise.all(
          Array.from({ length: 10 }, async (_, i) => {
            const claim = await engine.claimRun('r', `body ${i % 2}`);
            if (claim.claimed) await start('talker', 'x', { run_id: 'r' });
            return claim;
          }),
        );
        expect(all.filter(({ claimed }) => claimed)).toHaveLength(1);
        const others = all.filter((claim) => !claim.claimed);
        expect(others.filter((claim) => !claim.claimed && claim.same_body)).toHaveLength(4);
        expect((await engine.list({ kind: 'runs', offset: 0, limit: 50 })).total).toBe(1);
      });

      it('a refused start gives the id back', async () => {
        for (let i = 0; i < 2; i++) {
          expect(await engine.claimRun('r', 'body')).toEqual({ claimed: true });
          await expect(start('nobody', 'x', { run_id: 'r' })).rejects.toEqual(code(ErrorCode.agentNotFound));
        }
        expect(await engine.claimRun('r', 'another body')).toEqual({ claimed: true });
        expect(await start('talker', 'x', { run_id: 'r' })).toMatchObject({ run_id: 'r' });
      });

      it('a start of a taken id without a claim is a conflict, also for many at the same instant', async () => {
        const starts = await Promise.allSettled(Array.from({ length: 5 }, () => start('talker', 'x', { run_id: 'r' })));
        expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
        for (const one of starts) if (one.status === 'rejected') expect(one.reason).toEqual(code(ErrorCode.conflict));
        await expect(start('talker', 'x', { run_id: 'r' })).rejects.toEqual(code(ErrorCode.conflict));
      });
    });

    describe('refusals, by code', () => {
      const toRun = {
        cancel: (run_id: string): Command => ({ type: 'cancel', run_id }),
        decide: (run_id: string): Command => ({ type: 'decide', run_id, decisions: [decision('x')] }),
      };

      it.each(Object.entries(toRun))('%s: no such run, and a run that has ended', async (_, command) => {
        await expect(engine.deliver(command('none'))).rejects.toEqual(code(ErrorCode.runNotFound));
        const { run_id } = await start('talker', 'x');
        const log = await events(run_id);
        await expect(engine.deliver(command(run_id))).rejects.toEqual(code(ErrorCode.runNotActive));
        await reopen();
        await expect(engine.deliver(command(run_id))).rejects.toEqual(code(ErrorCode.runNotActive));
        expect(await events(run_id)).toEqual(log);
      });

      it('interrupt: no such thread', async () => {
        await expect(engine.deliver({ type: 'interrupt', thread_id: 'none' })).rejects.toEqual(
          code(ErrorCode.threadNotFound),
        );
      });

      it('start: an agent that nobody knows; a busy thread; a message to cut at that is not there', async () => {
        await expect(start('nobody', 'x', { thread_id: 't' })).rejects.toEqual(code(ErrorCode.agentNotFound));
        expect(await engine.read({ kind: 'thread', thread_id: 't' })).toBeUndefined();
        await start('slow', 'x', { thread_id: 't' });
        await expect(start('talker', 'y', { thread_id: 't', on_busy: 'reject' })).rejects.toEqual(
          code(ErrorCode.conflict),
        );
        const rewind = { message_id: 'none', keep: true };
        await expect(start('talker', 'y', { thread_id: 't', rewind })).rejects.toEqual(code(ErrorCode.badRequest));
        expect((await engine.list({ kind: 'runs', offset: 0, limit: 50 })).total).toBe(1);
      });

      it('start: a mailbox that is full takes no more, and does again when there is room', async () => {
        await reopen({ limits: { mailbox_entries: 2 } });
        const first = await start('slow', 'x', { thread_id: 't' });
        await start('talker', 'a', { thread_id: 't' });
        const last = await start('talker', 'b', { thread_id: 't' });
        await expect(start('talker', 'c', { thread_id: 't' })).rejects.toEqual(code(ErrorCode.tooMany));
        await cancel(first.run_id);
        await events(last.run_id);
        expect(await start('talker', 'd', { thread_id: 't' })).toMatchObject({ thread_id: 't' });
      });
    });

    describe('one active run per thread (CONTRACT 1.9)', () => {
      it('under two hundred starts at once: each comes to be one run, and they take turns', async () => {
        const runs = await Promise.all(
          Array.from({ length: 200 }, (_, i) => start('talker', `${i}`, { thread_id: 't' })),
        );
        const logs = await Promise.all(runs.map(({ run_id }) => events(run_id)));
        const spans = logs.map((log) => [log[0]!.timestamp_ms, log.at(-1)!.timestamp_ms] as const);
        for (const log of logs) expect(log.at(-1)).toMatchObject({ data: { termination: { code: 'natural' } } });
        for (let i = 1; i < spans.length; i++) expect(spans[i]![0]).toBeGreaterThanOrEqual(spans[i - 1]![1]);
        const messages = (await readMessages('t'))!;
        expect(messages.map(({ content }) => content)).toEqual(runs.flatMap((_, i) => [`${i}`, `${i}`]));
        expect(messages.map(({ cursor }) => cursor)).toEqual(messages.map((_, i) => i));
      });

      it('interrupt: of many at once the last one stays, the others end superseded by the next', async () => {
        const starts = Array.from({ length: 20 }, (_, i) =>
          start('slow', `${i}`, { thread_id: 't', on_busy: 'interrupt' }),
        );
        const runs = await Promise.all(starts);
        const after = await Promise.all(runs.map(({ run_id }) => readRun(run_id)));
        expect(after.map(({ status }) => status)).toEqual([...Array<string>(19).fill('done'), 'running']);
        for (let i = 0; i < 19; i++)
          expect(after[i]).toMatchObject({ termination_code: 'superseded', termination_detail: runs[i + 1]!.run_id });
      });

      it('enqueue: turns are taken by priority, then by arrival', async () => {
        const first = await start('slow', 'x', { thread_id: 't' });
        const ids = new Map<string, string>();
        for (const [said, priority] of [
          ['a', 100],
          ['b', 200],
          ['c', 100],
          ['d', 200],
        ] as const)
          ids.set((await start('talker', said, { thread_id: 't', priority })).run_id, said);
        world.gate('speak x').open();
        await events(first.run_id);
        for (const id of ids.keys()) await events(id);
        const turns = (await readMessages('t'))!.filter(({ role }) => role === 'user').map(({ content }) => content);
        expect(turns).toEqual(['x', 'b', 'd', 'a', 'c']);
      });

      it('rollback: what the older run has said and changed is taken back; cursors are not used again', async () => {
        await events((await start('talker', 'before', { thread_id: 't', state: { kept: 1 } })).run_id);
        const { run } = await paused('x', { thread_id: 't', state: { gone: 1 } });
        const next = await start('talker', 'after', { thread_id: 't', on_busy: 'rollback' });
        await events(next.run_id);
        expect(await readRun(run.run_id)).toMatchObject({ termination_code: 'superseded' });
        const messages = (await readMessages('t'))!;
        expect(messages.map(({ content }) => content)).toEqual(['before', 'before', 'after', 'after']);
        expect(messages[2]!.cursor).toBeGreaterThan(2);
        expect(await engine.read({ kind: 'state', thread_id: 't' })).toEqual({ kept: 1 });
      });

      it('a message that the thread has is no news, also of two starts at the same instant', async () => {
        const said = { role: 'user', content: 'x', id: 'm1' } as const;
        const runs = await Promise.all(
          [1, 2].map(() => start('talker', null, { thread_id: 't', messages: [said], on_busy: 'interrupt' })),
        );
        await events(runs[1]!.run_id);
        await events((await start('talker', null, { thread_id: 't', messages: [said] })).run_id);
        expect((await readMessages('t'))!.filter(({ id }) => id === 'm1')).toHaveLength(1);
      });
    });

    describe('a run that waits for a decision', () => {
      it('says so, takes the decision once, and goes on in the same log', async () => {
        const { run, log } = await paused('x');
        expect(run).toMatchObject({ status: 'waiting', termination_code: 'input_required' });
        expect(log.at(-1)!.type).toBe('run_waiting');
        const answer = decision('call of x');
        await Promise.all([decide(run.run_id, answer), decide(run.run_id, answer)]);
        const whole = await events(run.run_id);
        await decide(run.run_id, answer);
        expect(whole.filter(({ type }) => type === 'tool_call_resumed')).toHaveLength(1);
        expect(world.executed).toEqual(['call of x']);
        expect(whole.slice(0, log.length)).toEqual(log);
        expect(await events(run.run_id)).toEqual(whole);
      });

      it('ignores what names no call of it, and takes the suspension id too', async () => {
        const { run } = await paused('x');
        await decide(run.run_id, decision('other'));
        expect(await readRun(run.run_id)).toMatchObject({ status: 'waiting' });
        await decide(run.run_id, decision('fc_call of x', { action: 'cancel', reason: 'no' }));
        await events(run.run_id);
        expect(world.executed).toEqual([]);
        expect((await readMessages(run.thread_id))!.find(({ role }) => role === 'tool')).toMatchObject({
          content: 'no',
        });
      });

      it('is cancelled without a dangling call (CONTRACT 1.13)', async () => {
        const { run } = await paused('x');
        await cancel(run.run_id);
        const log = await events(run.run_id);
        expect(log.find(({ type }) => type === 'tool_call_done')).toMatchObject({ data: { outcome: 'cancelled' } });
        expect(log.at(-1)).toMatchObject({ data: { termination: { code: 'cancelled' } } });
      });

      it('may be answered by a start on its thread (CONTRACT 1.11)', async () => {
        const { run, log } = await paused('x');
        const { run: resumed, resumed_after } = await engine.deliver({
          type: 'start',
          start: request('asker', null, { thread_id: run.thread_id, decisions: [decision('call of x')] }),
        });
        expect([resumed.run_id, resumed_after]).toEqual([run.run_id, log.length - 1]);
        const whole = await events(run.run_id);
        expect(whole[log.length]!.type).toBe('run_resumed');
      });
    });

    describe('another opening (CONTRACT 1.15)', () => {
      it('finds ended runs as they were', async () => {
        const run = await start('talker', 'one two');
        const log = await events(run.run_id);
        const before = [await readRun(run.run_id), await readMessages(run.thread_id)];
        await reopen();
        expect([await readRun(run.run_id), await readMessages(run.thread_id)]).toEqual(before);
        expect(await events(run.run_id)).toEqual(log);
      });

      it('finds waiting runs waiting, and they take decisions', async () => {
        const { run, log } = await paused('x');
        await reopen();
        expect(await readRun(run.run_id)).toEqual(run);
        await decide(run.run_id, decision('call of x'));
        const whole = await events(run.run_id);
        expect(whole.slice(0, log.length)).toEqual(log);
        expect(whole.at(-1)).toMatchObject({ data: { termination: { code: 'natural' } } });
        expect(world.executed).toEqual(['call of x']);
      });

      it('goes on with running ones: the step starts again, and says so', async () => {
        const run = await start('slow', 'hello');
        const before = await inferring(run.run_id);
        await reopen();
        world.gate('speak hello').open();
        const log = await events(run.run_id);
        expect(log.slice(0, before.length)).toEqual(before);
        expect(log[before.length]).toMatchObject({ type: 'inference_retry', data: { attempt: 1 } });
        expect(log.at(-1)).toMatchObject({ data: { termination: { code: 'natural' } } });
      });

      it('keeps the turns of queued ones', async () => {
        const first = await start('slow', 'x', { thread_id: 't' });
        const [second, third] = [
          await start('talker', 'a', { thread_id: 't' }),
          await start('talker', 'b', { thread_id: 't' }),
        ];
        await reopen();
        expect(await readRun(third.run_id)).toMatchObject({ status: 'waiting', termination_code: 'queued' });
        world.gate('speak x').open();
        for (const { run_id } of [first, second, third])
          expect((await events(run_id)).at(-1)).toMatchObject({ data: { termination: { code: 'natural' } } });
      });

      it('gives no id, cursor or sequence number twice', async () => {
        const { run } = await paused('x', { thread_id: 't' });
        await reopen();
        await cancel(run.run_id);
        const next = await start('talker', 'y', { thread_id: 't' });
        const log = await events(next.run_id);
        expect(log.map(({ seq }) => seq)).toEqual(log.map((_, i) => i));
        const cursors = (await readMessages('t'))!.map(({ cursor }) => cursor);
        expect(cursors).toEqual([...new Set(cursors)].sort((a, b) => a - b));
        const { items } = await engine.list({ kind: 'runs', offset: 0, limit: 50 });
        expect(new Set(items.map(({ run_id }) => run_id)).size).toBe(2);
      });
    });

    describe('lists', () => {
      it('are paged with an exact total, by creation time and then by id', async () => {
        const runs: RunRecord[] = [];
        for (let i = 0; i < 7; i++)
          runs.push(await start('talker', `${i}`, { thread_id: `t${i % 2}`, run_id: `r${i}` }));
        for (const { run_id } of runs) await events(run_id);
        const ids = runs.map(({ run_id }) => run_id);
        const page = async (offset: number, limit: number, filter = {}) => {
          const { items, total, has_more } = await engine.list({ kind: 'runs', offset, limit, ...filter });
          return [items.map(({ run_id }) => run_id), total, has_more];
        };
        await expect.poll(() => page(0, 50)).toEqual([ids, 7, false]);
        expect(await page(0, 3)).toEqual([ids.slice(0, 3), 7, true]);
        expect(await page(6, 3)).toEqual([ids.slice(6), 7, false]);
        expect(await page(4, 3)).toEqual([ids.slice(4), 7, false]);
        expect(await page(7, 3)).toEqual([[], 7, false]);
        const even = ids.filter((_, i) => i % 2 === 0);
        await expect.poll(() => page(1, 2, { thread_id: 't0' })).toEqual([even.slice(1, 3), 4, true]);
        await expect.poll(() => page(0, 50, { status: 'done' })).toEqual([ids, 7, false]);
        expect(await page(0, 50, { status: 'running' })).toEqual([[], 0, false]);
        expect(await page(0, 50, { thread_id: 'none' })).toEqual([[], 0, false]);
      });
    });

    describe('messages', () => {
      it('are read by cursors, strictly between, either way, so many', async () => {
        for (let i = 0; i < 4; i++) await events((await start('talker', `${i}`, { thread_id: 't' })).run_id);
        const cursors = async (range: object) => (await readMessages('t', range))!.map(({ cursor }: Message) => cursor);
        expect(await cursors({})).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
        expect(await cursors({ after: 2 })).toEqual([3, 4, 5, 6, 7]);
        expect(await cursors({ before: 2 })).toEqual([0, 1]);
        expect(await cursors({ after: 2, before: 6, limit: 2 })).toEqual([3, 4]);
        expect(await cursors({ after: 2, before: 6, order: 'desc', limit: 2 })).toEqual([5, 4]);
        expect(await cursors({ after: 7 })).toEqual([]);
        expect(await cursors({ before: 0 })).toEqual([]);
        expect(await cursors({ after: 5, before: 3 })).toEqual([]);
      });
    });

    describe('inspection', () => {
      const actors = async (filter: ActorFilter = {}) =>
        (await engine.inspect().actors({ ...filter, offset: 0, limit: 200, order: 'asc' })).items;

      it('shows the live actors of a thread, outer ones first, and none of one that is idle', async () => {
        const { run } = await paused('x', { thread_id: 't' });
        const call = `tool_call:${run.run_id}:call of x`;
        expect((await actors({ thread_id: 't' })).map(({ id }) => id).sort()).toEqual(
          [`thread:t`, `run:${run.run_id}`, call].sort(),
        );
        expect(await actors({ kinds: ['run'] })).toMatchObject([
          {
            machine: 'run',
            value: 'waiting',
            path: ['waiting'],
            parent_id: 'thread:t',
            waiting_for: { kind: 'approval', tool_call_ids: ['call of x'] },
            created_at: run.created_at,
          },
        ]);
        expect(await actors({ states: ['suspended'] })).toMatchObject([{ id: call, path: ['suspended', 'asking'] }]);
        await cancel(run.run_id);
        expect(await actors()).toEqual([]);
      });

      it('shows the same actors after a restart', async () => {
        await paused('x', { thread_id: 't' });
        await paused('x', { thread_id: 'u' });
        const before = await actors();
        expect(before).toHaveLength(6);
        await reopen();
        expect(await actors()).toEqual(before.map((item) => ({ ...item, memory: expect.any(String) as string })));
      });

      it('shows an actor in full, with what it reacts to and how it came there', async () => {
        const { run } = await paused('x', { thread_id: 't' });
        expect(await engine.inspect().actor(`run:${run.run_id}`)).toMatchObject({
          value: 'waiting',
          context: { run_id: run.run_id, step: 0 },
          enabled_events: expect.arrayContaining([
            { event: 'CANCEL', target: ['cancelling'], guards: [] },
            { event: 'DECIDE', target: ['running.acting'], guards: ['hasDecisions'] },
          ]),
          transitions: [
            { event: 'xstate.init', from: [], to: ['running', 'inferring'] },
            { event: 'xstate.done.actor.model', from: ['running', 'inferring'], to: ['running', 'acting'] },
            { event: 'SUSPENDED', from: ['running', 'acting'], to: ['waiting'] },
          ],
        });
        await cancel(run.run_id);
        expect(await engine.inspect().actor(`run:${run.run_id}`)).toMatchObject({ value: 'done', context: null });
        expect(await engine.inspect().actor('thread:t')).toMatchObject({ value: 'idle' });
        expect(await engine.inspect().actor('run:nobody')).toBeUndefined();
      });

      it('numbers what happens densely, in the order in which it became durable', async () => {
        const { feed } = engine.inspect();
        const stop = feed.watch({ tail: false });
        const from = feed.last;
        const { run } = await paused('x', { thread_id: 't' });
        await cancel(run.run_id);
        const told = Array.from({ length: feed.last - from }, (_, i) => feed.at(from + 1 + i)!);
        expect(told.every((entry) => entry !== undefined)).toBe(true);
        const ends = told.flatMap((entry) => (entry.type === 'ended' ? [[entry.kind, entry.outcome]] : []));
        expect(ends).toEqual([
          ['tool_call', 'cancelled'],
          ['run', 'cancelled'],
          ['thread', 'idle'],
        ]);
        stop();
      });
    });

    describe('a closed engine', () => {
      it('refuses every operation with not_initialised, and its readers end', async () => {
        const { run } = await paused('x', { thread_id: 't' });
        const reader = await engine.readEvents(run.run_id, -1);
        const drained = (async () => {
          while (await reader.next());
        })();
        await engine.close(0);
        await drained;
        expect(engine.status).toBe('stopped');
        const operations: Record<string, () => Promise<unknown>> = {
          start: () => start('talker', 'x'),
          cancel: () => cancel(run.run_id),
          interrupt: () => engine.deliver({ type: 'interrupt', thread_id: 't' }),
          decide: () => decide(run.run_id, decision('call of x')),
          claimRun: () => engine.claimRun('new', 'body'),
          'read run': () => engine.read({ kind: 'run', run_id: run.run_id }),
          'read thread': () => engine.read({ kind: 'thread', thread_id: 't' }),
          readEvents: () => engine.readEvents(run.run_id, -1),
          list: () => engine.list({ kind: 'runs', offset: 0, limit: 1 }),
        };
        for (const [operation, perform] of Object.entries(operations))
          await expect(perform(), operation).rejects.toEqual(code(ErrorCode.notInitialised));
        expect(() => engine.inspect()).toThrow(code(ErrorCode.notInitialised));
        await engine.close(0);
      });

      it('closes also while a start that it refuses by then holds the id of a run that is being removed', async () => {
        const run = await start('talker', 'x', { run_id: 'r', thread_id: 't' });
        await events(run.run_id);
        await engine.deliver({ type: 'delete_thread', thread_id: 't' });
        expect(await engine.claimRun('r', 'body')).toEqual({ claimed: true });
        const closing = engine.close(0);
        await expect(start('talker', 'x', { run_id: 'r' })).rejects.toEqual(code(ErrorCode.notInitialised));
        await closing;
        expect(engine.status).toBe('stopped');
      });

      it('that is closed again and again, or at the same time, closes once', async () => {
        await Promise.all([engine.close(0), engine.close(0)]);
        expect(engine.status).toBe('stopped');
      });

      it('a start under way while it closes has happened, or has not, or is told that nobody knows', async () => {
        for (let round = 0; round < 12; round++) {
          const id = (i: number) => `r${round}.${i}`;
          const outcomes = Array.from({ length: 10 }, (_, i) =>
            start('talker', 'x', { run_id: id(i), thread_id: `t${i % 3}` }).then(
              () => 'accepted',
              (error: { code: string }) => error.code,
            ),
          );
          for (let i = 0; i < round; i++) await (round % 2 === 0 ? turn() : Promise.resolve());
          await reopen();
          for (const [i, outcome] of (await Promise.all(outcomes)).entries()) {
            const there = (await engine.read({ kind: 'run', run_id: id(i) })) !== undefined;
            const expected = { accepted: [true], [ErrorCode.notInitialised]: [false] }[outcome] ?? [true, false];
            expect(expected, `${id(i)}: ${outcome}`).toContain(there);
          }
        }
      });
    });
  });
}
