/**
 * The host against stock XState: the same machines, the same random events, the same log, the same states.
 *
 * The host's semantics (order of sends, births and deaths of children, final states) are a few lines of ours; this is
 * what keeps them honest. A failing case prints its seed.
 */

import { createActor, sendParent, type AnyActorRef } from 'xstate';
import { expect, test, vi } from 'vitest';
import type { Emitted } from '../machines/emitted.js';
import { runMachine, threadMachine, toolCallMachine } from '../machines/index.js';
import type { RunContext } from '../machines/run.js';
import type { RunRecord } from '../records.js';
import { apply, cellKey, openThread } from './apply.js';
import { Cells, newThread, type ActorCell } from './cells.js';
import { Draft } from './draft.js';
import { record } from './recorder.js';
import type { MachineEvent } from './xstate.js';

const SEQUENCES = 200;
const EVENTS = 80;

/** A small seeded generator (mulberry32). */
function random(seed: number): (n: number) => number {
  let s = seed;
  return (n) => {
    s = (s + 0x6d2b79f5) | 0;
    let t = Math.imul(s ^ (s >>> 15), 1 | s);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
}

const stockTool = toolCallMachine.provide({ actions: { toParent: sendParent((_, event) => event as never) } });
const stockRun = runMachine.provide({
  actors: { tool_call: stockTool },
  actions: { toParent: sendParent((_, event) => event as never) },
});
const stockThread = threadMachine.provide({ actors: { run: stockRun } });

const runRecord = (rno: number): RunRecord => ({
  run_id: `r${rno}`,
  thread_id: 't',
  agent_id: 'a',
  parent_run_id: null,
  parent_thread_id: null,
  origin: 'user',
  status: 'waiting',
  termination_code: 'queued',
  termination_detail: null,
  created_at: 0,
  updated_at: 0,
  metadata: null,
  input_tokens: 0,
  output_tokens: 0,
  source_mailbox_entry_id: null,
  resource_id: null,
});

const newDraft = (): Draft => {
  const draft = new Draft(new Cells(), 0);
  draft.set('thread', newThread({ thread_id: 't', resource_id: null, parent_thread_id: null, at: 0 }));
  return draft;
};

/** The log and the messages, with the generated ids left out. */
const written = (draft: Draft) =>
  JSON.parse(
    JSON.stringify({ logs: [...draft.logs], messages: draft.messages }, (key, value: unknown) =>
      key === 'message_id' || key === 'turn_id' || (key === 'id' && /^[0-9a-f]{8}-/.test(String(value)))
        ? undefined
        : value,
    ),
  ) as unknown;

class Stock {
  readonly draft = newDraft();
  readonly actors = new Map<string, AnyActorRef>();
  readonly root;

  constructor() {
    this.root = createActor(stockThread, {
      inspect: (event) => {
        if (event.type !== '@xstate.actor') return;
        const path = Stock.path(event.actorRef as AnyActorRef);
        if (path === undefined) return;
        this.actors.set(path, event.actorRef as AnyActorRef);
        (event.actorRef as AnyActorRef).on('*', (emitted: unknown) =>
          record(this.draft, Number(path.split('/')[0]), emitted as Emitted),
        );
      },
    });
    this.root.start();
  }

  /** The address of a machine actor; effects have none. */
  static path(ref: AnyActorRef): string | undefined {
    const parents: string[] = [];
    for (let at: AnyActorRef | undefined = ref; at?._parent; at = at._parent) parents.unshift(at.id);
    const isMachine = parents.length === 0 || ref.src === 'run' || ref.src === 'tool_call';
    return isMachine ? parents.join('/') : undefined;
  }

  alive(): Record<string, unknown> {
    const live: Record<string, unknown> = {};
    const visit = (path: string, ref: AnyActorRef) => {
      const snapshot = ref.getSnapshot() as { status: string; value: unknown; context: unknown; children: object };
      if (snapshot.status !== 'active') return;
      live[path] = { value: snapshot.value, context: snapshot.context };
      for (const [id, child] of Object.entries(snapshot.children)) {
        const at = path === '' ? id : `${path}/${id}`;
        if (this.actors.get(at) === child) visit(at, child as AnyActorRef);
      }
    };
    visit('', this.root as AnyActorRef);
    return live;
  }
}

class Hosted {
  readonly draft = newDraft();
  #token = 0;
  readonly next = () => ++this.#token;

  constructor() {
    openThread(this.draft, this.next);
  }

  alive(): Record<string, unknown> {
    const live: Record<string, unknown> = {};
    for (const [key, cell] of this.draft.changed)
      if (key[0] === 'a' && cell) {
        const { value, context } = (cell as ActorCell).snapshot;
        live[key.slice(1)] = { value, context };
      }
    return live;
  }
}

const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };

/** An event that could really happen now, and the actor it goes to. */
function choose(pick: (n: number) => number, host: Hosted, started: { n: number }): [string, MachineEvent] {
  const one = <T>(items: readonly T[]): T => items[pick(items.length)]!;
  const cells = [...host.draft.changed].flatMap(([key, cell]) =>
    key[0] === 'a' && cell ? [[key.slice(1), cell as ActorCell] as const] : [],
  );
  const [path, cell] = one(cells);
  if (path === '') {
    const active = (cell.snapshot.context as { active: { key: string; run_id: string } | null }).active;
    if (!active) {
      const rno = ++started.n;
      const mode = one(['sequential', 'parallel_batch_approval', 'parallel_streaming'] as const);
      const limits = {
        max_rounds: 1 + pick(3),
        max_retries: pick(2),
        retry_ms: 1,
        cancel_ms: 1,
        timeout_ms: one([null, 5]),
      };
      const run = {
        state_changed: pick(2) === 0,
        stop_conditions: one([[], [{ type: 'token_budget', tokens: 3 }], [{ type: 'stop_on_tool', tool: 'tool' }]]),
        run_id: `r${rno}`,
        agent_id: 'a',
        parent_run_id: null,
        parent_thread_id: null,
        origin: 'user',
        mode,
        limits,
      };
      return ['', { type: 'START', key: String(rno), run }];
    }
    const run = host.draft.get(cellKey(active.key))!.snapshot.context as RunContext;
    const decisions = Object.entries(run.calls)
      .filter(([, call]) => call.is === 'suspended' && pick(2) === 0)
      .map(([key, call]) => ({
        key,
        decision: {
          target_id: call.id,
          decision_id: `d${pick(1000)}`,
          action: one(['resume', 'resume', 'cancel']),
          result: one([{ approved: true }, { approved: false }, { retry: true }, 'a value']),
          updated_at: 0,
        },
      }));
    const event = one([
      { type: 'DECIDE', decisions },
      { type: 'DECIDE', decisions },
      { type: 'DECIDE', decisions },
      { type: 'CANCEL', code: one(['cancelled', 'superseded']), detail: null },
      { type: 'FAULT', message: 'broken' },
    ]);
    if (pick(12) === 0) return ['', { type: 'INTERRUPT' }];
    return ['', { type: 'TELL', run_id: pick(10) === 0 ? 'other' : active.run_id, event }];
  }
  const effects = Object.entries(cell.fx).filter(([, fx]) => fx.src !== 'abort');
  if (effects.length === 0) return [path, { type: 'NOTHING' }];
  const [id, fx] = one(effects);
  if (fx.src === 'timer')
    return pick(3) > 0 ? [path, { type: 'NOTHING' }] : [path, { type: `xstate.done.actor.${id}`, output: null }];
  if (pick(8) === 0) return [path, { type: 'fx.lost' }];
  if (fx.src === 'execute')
    return pick(6) === 0
      ? [path, { type: `xstate.error.actor.${id}`, error: { message: 'thrown' } }]
      : [
          path,
          {
            type: `xstate.done.actor.${id}`,
            output: one([
              { outcome: 'succeeded', result: 1 },
              { outcome: 'failed', error: 'no' },
              { outcome: 'aborted' },
            ]),
          },
        ];
  if (pick(5) === 0)
    return [
      path,
      { type: `xstate.error.actor.${id}`, error: { message: 'down', retryable: pick(2) === 0, retry_after_ms: null } },
    ];
  const step = (cell.snapshot.context as RunContext).step;
  const gates = [
    { gate: 'open' },
    { gate: 'open' },
    { gate: 'approval', message: '?' },
    { gate: 'frontend', message: 'f' },
    { gate: 'refused', outcome: 'failed', error: 'unknown' },
  ];
  const calls = Array.from({ length: pick(4) }, (_, i) => ({
    key: `${step}.${i}`,
    id: `c${step}.${i}`,
    name: 'tool',
    arguments: {},
    effect: one(['once', 'idempotent', 'readOnly']),
    timeout_ms: one([null, 10]),
    ...one(gates),
  }));
  const output = { text: one(['', 'hello']), calls, finish_reason: 'stop', model: 'm', usage, duration_ms: 1 };
  return [path, { type: `xstate.done.actor.${id}`, output }];
}

/** Children that are more than their id and source, as they would be when read from the store. */
const whole = ({ changed }: Draft): unknown[] =>
  [...changed.values()].flatMap((cell) =>
    Object.values((cell as Partial<ActorCell> | undefined)?.snapshot?.children ?? {}).filter(
      (child) => Object.keys(child as object).join() !== 'id,src',
    ),
  );

/** Calls that a run believes open and that have no actor: such a run would wait for ever. */
const unheard = (live: Record<string, unknown>): string[] =>
  Object.entries(live).flatMap(([path, actor]) =>
    Object.entries((actor as { context: Partial<RunContext> }).context.calls ?? {})
      .filter(([key, call]) => call.is !== 'settled' && !(`${path}/${key}` in live))
      .map(([key]) => `${path}/${key}`),
  );

test(`the host and stock actors agree on ${SEQUENCES} random histories`, () => {
  // Stock actors say so when a child's end reaches a parent that has ended; the host has no such message.
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  let finished = 0;
  for (let seed = 1; seed <= SEQUENCES; seed++) {
    const pick = random(seed);
    const host = new Hosted();
    const stock = new Stock();
    const started = { n: 0 };
    for (let i = 0; i < EVENTS; i++) {
      const [path, event] = choose(pick, host, started);
      if (event.type === 'START') {
        host.draft.set(`r${started.n}`, runRecord(started.n));
        stock.draft.set(`r${started.n}`, runRecord(started.n));
      }
      apply(host.draft, host.next, path, event);
      stock.actors.get(path)!.send(event);
      const where = `seed ${seed}, event ${i}: ${event.type} to "${path}"`;
      const live = host.alive();
      expect(live, where).toEqual(stock.alive());
      expect(whole(host.draft), `${where}: an actor of XState's is kept`).toEqual([]);
      expect(unheard(live), `${where}: a call that its run waits for is gone`).toEqual([]);
    }
    expect(written(host.draft), `seed ${seed}`).toEqual(written(stock.draft));
    for (const { events } of host.draft.logs.values()) {
      const ends = events.filter((event) => event.type === 'run_finish').length;
      finished += ends;
      expect(ends, `seed ${seed}`).toBeLessThanOrEqual(1);
      if (ends === 1) expect(events.at(-1)!.type, `seed ${seed}: nothing follows run_finish`).toBe('run_finish');
    }
    stock.root.stop();
  }
  expect(finished).toBeGreaterThan(SEQUENCES);
});
