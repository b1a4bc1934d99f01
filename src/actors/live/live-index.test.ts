/** The index of live actors by itself: what matches, in which order, and what ten thousand open runs cost. */

import { describe, expect, it } from 'vitest';
import { newFamily, type Family } from './actor.js';
import { actorOf, type Facts, type Known } from './build.js';
import { LiveIndex } from './live-index.js';

const facts: Facts = { created_at: 1, recordOf: () => undefined };

/** A thread whose run waits, with or without the call it waits for. */
function waiting(index: LiveIndex, tno: number, since: number, withCall = true): Family {
  const family = newFamily(tno, `t${tno}`);
  index.keep(family);
  const run = `r${tno}`;
  const plan = { id: `c${tno}`, name: 'pay', arguments: { eur: tno } };
  const suspension = { id: `fc_c${tno}`, kind: 'approval', message: 'approve pay?' };
  const members: Known[] = [
    {
      path: '',
      kind: 'thread',
      value: 'waiting',
      since,
      context: { generation: 0, active: { key: tno, run_id: run } },
    },
    { path: `${tno}`, kind: 'run', value: 'waiting', since, context: { run_id: run, agent_id: `a${tno % 7}` } },
    { path: `${tno}/0.0`, kind: 'tool_call', value: { suspended: 'asking' }, since, context: { plan, suspension } },
  ];
  for (const member of members.slice(0, withCall ? 3 : 2)) index.add(family, actorOf(family, member, facts)!);
  return family;
}

describe('ten thousand open runs', () => {
  const index = new LiveIndex(() => false);
  const OPEN = 10_000;
  for (let i = 0; i < OPEN; i++) waiting(index, i, (i * 7919) % OPEN, i % 10 === 7);
  const lookups: [string, () => { items: unknown[]; total: number }, total: number][] = [
    ['all of them', () => index.page({}, { offset: 0, limit: 50 }), 2.1 * OPEN],
    ['the last page', () => index.page({}, { offset: 2 * OPEN, limit: 50 }, 'desc'), 2.1 * OPEN],
    ['runs that wait', () => index.page({ kinds: ['run'], states: ['waiting'] }, { offset: 500, limit: 200 }), OPEN],
    ['those of an agent', () => index.page({ agent_id: 'a3', kinds: ['run'] }, { offset: 0, limit: 200 }), 1429],
    ['those of a thread', () => index.page({ thread_id: 't77' }, { offset: 0, limit: 200 }), 3],
    ['one run', () => index.page({ run_id: 'r77' }, { offset: 0, limit: 200 }), 2],
    [
      'what a reader of the feed begins with',
      () => index.page({ kinds: ['run', 'thread'] }, { offset: 0, limit: 1000 }),
      2 * OPEN,
    ],
  ];

  it.each(lookups)('are listed within 50 ms of work: %s', (_, look, total) => {
    // Time of this process on a processor, the least of some: what else the machine does is not measured.
    const times = Array.from({ length: 4 }, () => {
      const began = process.cpuUsage();
      expect(look().total).toBe(total);
      const { user, system } = process.cpuUsage(began);
      return (user + system) / 1000;
    });
    expect(Math.min(...times)).toBeLessThan(50);
  });

  it('come the oldest state first', () => {
    const { items } = index.page({ kinds: ['run'] }, { offset: 0, limit: 3 });
    expect(items.map(({ since }) => since)).toEqual([0, 1, 2]);
    expect(index.page({ kinds: ['run'] }, { offset: 0, limit: 1 }, 'desc').items[0]!.since).toBe(OPEN - 1);
  });

  it('are gone when they are dropped', () => {
    for (let i = 0; i < OPEN; i++) index.drop(index.family(i)!);
    expect(index.size).toBe(0);
    expect(index.page({}, { offset: 0, limit: 1 })).toEqual({ items: [], total: 0 });
  });
});

it('a call whose id another call has, too, does not take that one along', () => {
  const index = new LiveIndex(() => true);
  const family = waiting(index, 1, 0);
  const twin = actorOf(
    family,
    {
      path: '1/0.1',
      kind: 'tool_call',
      value: 'new',
      since: 0,
      context: { plan: { id: 'c1', name: 'pay', arguments: {} } },
    },
    facts,
  )!;
  index.add(family, twin);
  index.remove(family, family.calls.get('1/0.0')!);
  expect(index.find('tool_call:r1:c1')?.actor).toBe(twin);
  index.remove(family, twin);
  expect(index.find('tool_call:r1:c1')).toBeUndefined();
});
