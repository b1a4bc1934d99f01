/** What is remembered: the fold of the feed, rings, and what is fetched beside it. */

import { describe, expect, it } from 'vitest';
import { actor, NOW, stats } from '../../../../test/support/top-model.js';
import type { ActorItem } from '../../client/index.js';
import { Fleet } from './fleet.js';
import { Resources, type Want } from './resources.js';
import { Ring } from './ring.js';

const ended = (run_id: string, outcome = 'natural') =>
  ({
    type: 'ended',
    at: NOW,
    id: `run:${run_id}`,
    kind: 'run',
    run_id,
    thread_id: `th-${run_id}`,
    agent_id: 'a',
    outcome,
    detail: null,
  }) as const;
const reset = (items: ActorItem[], total = items.length) => ({ type: 'reset', at: NOW, items, total, stats }) as const;
const moved = (item: ActorItem) =>
  ({ type: 'transition', at: NOW, actor: item, event: 'E', from: [] as string[], to: item.path }) as const;
const call = (run_id: string, id: string): ActorItem => ({
  ...actor({ run_id }),
  id: `tool_call:${run_id}:${id}`,
  kind: 'tool_call',
  machine: 'tool-call',
  tool: { name: 't', arguments: {}, progress: null, message: null },
});

describe('the fleet', () => {
  it('has each run once, whatever is told how often', () => {
    const fleet = new Fleet();
    fleet.apply(reset([actor({ run_id: 'a' }), actor({ run_id: 'b' })]));
    fleet.apply(moved(actor({ run_id: 'a', path: ['waiting'] })));
    fleet.apply(reset([actor({ run_id: 'a', path: ['running', 'acting'] })]));
    expect([...fleet.runs.values()].map(({ run_id, path }) => [run_id, path.join('.')])).toEqual([
      ['a', 'running.acting'],
    ]);
  });

  it('keeps what it was told since when older pages arrive', () => {
    const fleet = new Fleet();
    fleet.apply(reset([actor({ run_id: 'a' })], 4));
    expect(fleet.missing).toBe(3);
    fleet.apply(moved(actor({ run_id: 'b', path: ['waiting'] })));
    fleet.apply(ended('c'));
    fleet.fill([actor({ run_id: 'b' }), actor({ run_id: 'c' }), actor({ run_id: 'd' })]);
    expect([...fleet.runs.keys()].sort()).toEqual(['a', 'b', 'd']);
    expect(fleet.runs.get('b')!.path).toEqual(['waiting']);
  });

  it('shows the progress of a call with its run, and forgets calls with it', () => {
    const fleet = new Fleet();
    const tool = { name: 't', arguments: {}, progress: null, message: null };
    fleet.apply(reset([actor({ run_id: 'a', tool })]));
    fleet.apply(moved(call('a', 'c1')));
    fleet.apply({ type: 'progress', at: NOW, id: 'tool_call:a:c1', progress: 0.5, message: 'half' });
    expect(fleet.runs.get('a')!.tool).toMatchObject({ progress: 0.5, message: 'half' });
    expect(fleet.callsOf('a')).toHaveLength(1);
    fleet.apply(ended('a'));
    expect([fleet.runs.size, fleet.calls.size, fleet.ended.get('a')?.status]).toEqual([0, 0, 'natural']);
  });

  it('has runs in the order in which they came into their states, and counts changes of what is asked', () => {
    const fleet = new Fleet();
    const waiting_for = { kind: 'approval' as const, message: '?', tool_call_ids: ['c'] };
    fleet.apply(reset(['a', 'b', 'c'].map((run_id, i) => actor({ run_id, since: NOW + i }))));
    fleet.apply(moved(actor({ run_id: 'a', since: NOW + 9 })));
    fleet.apply({ type: 'changed', at: NOW, actor: actor({ run_id: 'b', since: NOW + 1 }) });
    expect([...fleet.runs.keys()]).toEqual(['b', 'c', 'a']);
    const before = fleet.questions;
    fleet.apply(moved(actor({ run_id: 'c', since: NOW + 10 })));
    expect(fleet.questions).toBe(before);
    for (const frame of [moved(actor({ run_id: 'c', waiting_for })), ended('c')]) fleet.apply(frame);
    expect(fleet.questions).toBe(before + 2);
  });

  it('stays as large as what is alive', () => {
    const fleet = new Fleet();
    fleet.apply(reset([]));
    for (let i = 0; i < 5_000; i++) {
      const run_id = `r${i}`;
      fleet.apply(moved(actor({ run_id, thread_id: `th-${run_id}` })));
      fleet.apply(moved(call(run_id, 'c')));
      fleet.apply(moved({ ...actor({ run_id }), id: `thread:th-${run_id}`, kind: 'thread', path: ['running'] }));
      fleet.apply(ended(run_id));
      fleet.apply(moved({ ...actor({ run_id }), id: `thread:th-${run_id}`, kind: 'thread', path: ['idle'] }));
    }
    expect([fleet.runs.size, fleet.threads.size, fleet.calls.size, fleet.ended.size]).toEqual([0, 0, 0, 1_000]);
    expect(fleet.queuedOf('th-r1')).toBe(0);
  });
});

describe('a ring', () => {
  it('keeps the last ones under their numbers', () => {
    const ring = new Ring<number>(10);
    for (let i = 0; i < 137; i++) ring.push(i);
    expect([ring.first, ring.next, ring.items.length, ring.last]).toEqual([127, 137, 10, 136]);
    for (let n = ring.first; n < ring.next; n++) expect(ring.at(n)).toBe(n);
    expect([ring.at(126), ring.at(137)]).toEqual([undefined, undefined]);
  });
});

describe('what is fetched', () => {
  const want = (key: string, every: number, stamp?: string): Want => ({
    key,
    every,
    load: async () => 1,
    ...(stamp === undefined ? {} : { stamp }),
  });

  it('is asked once at a time, again after its time, and sooner when its stamp changed', () => {
    const resources = new Resources();
    const due = (now: number, stamp?: string): number => resources.due([want('a', 2_000, stamp)], now).length;
    expect(due(0)).toBe(1);
    resources.begin('a');
    expect(due(1)).toBe(0);
    resources.end('a', undefined, 1, { value: 1 });
    expect([due(2_000), due(2_001)]).toEqual([0, 1]);
    expect([due(500, 'moved'), due(501, 'moved')]).toEqual([0, 1]);
  });

  it('keeps its value through an error, and forgets what nobody wants', () => {
    const resources = new Resources();
    resources.end('a', undefined, 0, { value: 1 });
    resources.end('a', undefined, 1, { error: 'gone' });
    expect([resources.value('a'), resources.error('a')]).toEqual([1, 'gone']);
    resources.due([], 2);
    expect([resources.value('a'), resources.error('a')]).toEqual([undefined, null]);
  });
});
