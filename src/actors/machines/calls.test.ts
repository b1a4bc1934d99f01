/** The modes of a step's calls: what may go when, and that no mode ever stands still for good (CONTRACT 5.3). */

import { describe, expect, test } from 'vitest';
import fc from '../../../test/support/property.js';
import { allSettled, mustWait, pending, ready, type Call, type Calls } from './calls.js';
import type { ExecutionMode } from '../../agents/types.js';

const modes: ExecutionMode[] = ['sequential', 'parallel_batch_approval', 'parallel_streaming'];
const states: Call['is'][] = ['queued', 'open', 'decided', 'settled', 'suspended'];
const anyMode = fc.constantFrom(...modes);
const calls = (...is: Call['is'][]): Calls =>
  Object.fromEntries(is.map((state, i) => [`0.${i}`, { id: `c${i}`, is: state }]));
const anyCalls = fc.array(fc.constantFrom(...states), { maxLength: 6 }).map((is) => calls(...is));
const some = (all: Calls, is: Call['is']): boolean => Object.values(all).some((call) => call.is === is);

describe('no mode deadlocks', () => {
  test('while not all calls have settled, one runs, one may be let go, or a person is asked', () => {
    fc.assert(
      fc.property(anyCalls, anyMode, (all, mode) => {
        if (allSettled(all)) return;
        const goes = some(all, 'open') || ready(all, mode).length > 0;
        expect(goes || mustWait(all, mode)).toBe(true);
        expect(goes && mustWait(all, mode)).toBe(false);
        if (mustWait(all, mode)) expect(some(all, 'suspended')).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  /** What the world may do with each call: a step nearer to its end. */
  const next: Record<Call['is'], Call['is'][]> = {
    queued: ['queued'],
    open: ['open', 'suspended', 'decided', 'settled'],
    suspended: ['suspended', 'decided', 'settled'],
    decided: ['decided'],
    settled: ['settled'],
  };

  test('every history in which the world answers comes to its end', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), anyMode, fc.infiniteStream(fc.nat()), (n, mode, choices) => {
        const choose = <T>(from: T[]): T => from[(choices.next().value as number) % from.length]!;
        let all = calls(...Array<Call['is']>(n).fill('queued'));
        const asked = new Map<string, number>();
        for (let turn = 0; !allSettled(all); turn++) {
          expect(turn).toBeLessThan(500);
          for (const key of ready(all, mode)) all = { ...all, [key]: { ...all[key]!, is: 'open' } };
          const movable = Object.keys(all).filter((key) => ['open', 'suspended'].includes(all[key]!.is));
          expect(movable.length, JSON.stringify(all)).toBeGreaterThan(0);
          const key = choose(movable);
          // A call asks a bounded number of times; then it settles.
          const times = asked.get(key) ?? 0;
          const is = times > 3 ? 'settled' : choose(next[all[key]!.is]);
          asked.set(key, times + 1);
          all = { ...all, [key]: { ...all[key]!, is } };
        }
      }),
    );
  });
});

describe('what may be let go', () => {
  test('sequential: the first that has not settled, when it stands', () => {
    expect(ready(calls('settled', 'queued', 'queued'), 'sequential')).toEqual(['0.1']);
    expect(ready(calls('settled', 'open', 'queued'), 'sequential')).toEqual([]);
    expect(ready(calls('suspended', 'queued'), 'sequential')).toEqual([]);
    expect(ready(calls('decided', 'queued'), 'sequential')).toEqual(['0.0']);
  });

  test('batch approval: approved ones wait for the last question', () => {
    expect(ready(calls('decided', 'suspended', 'queued'), 'parallel_batch_approval')).toEqual(['0.2']);
    expect(ready(calls('decided', 'open', 'decided'), 'parallel_batch_approval')).toEqual(['0.0', '0.2']);
  });

  test('streaming: whatever stands', () => {
    expect(ready(calls('decided', 'suspended', 'queued', 'open'), 'parallel_streaming')).toEqual(['0.0', '0.2']);
  });
});

test('what a run waits for is in the order of the model', () => {
  const suspension = (id: string) =>
    ({ id: `fc_${id}`, tool_call_id: id, name: 'n', kind: 'approval', message: '?' }) as const;
  const all: Calls = {
    '0.0': { id: 'a', is: 'suspended', suspension: suspension('a') },
    '0.1': { id: 'b', is: 'settled', suspension: suspension('b') },
    '0.2': { id: 'c', is: 'suspended', suspension: suspension('c') },
  };
  expect(pending(all).map(({ tool_call_id }) => tool_call_id)).toEqual(['a', 'c']);
});
