/** Drafts: what is dropped has changed nothing; what is absorbed is as if it had been written there in the first place. */

import { describe, expect, test } from 'vitest';
import fc from '../../../test/support/property.js';
import * as keys from '../../store/keys.js';
import { Disk } from '../../store/memory-disk.js';
import type { Message, RunRecord } from '../records.js';
import { openThread } from './apply.js';
import { Cells, newThread } from './cells.js';
import { Draft } from './draft.js';
import { appendEvent, appendMessage } from './recorder.js';
import { chunksOf, opsOf } from './rows.js';

const thread = newThread({ thread_id: 't', resource_id: null, parent_thread_id: null, at: 0 });
const run = (rno: number): RunRecord => ({ run_id: `r${rno}`, thread_id: 't', status: 'running' }) as RunRecord;

function committed(): Cells {
  const cells = new Cells();
  cells.values.set('thread', thread);
  cells.values.set('r1', run(1));
  cells.values.set('r2', run(2));
  const opening = new Draft(cells, 0);
  openThread(opening, () => 1);
  cells.values.set('a', opening.get('a'));
  return cells;
}
const say = (draft: Draft, id: string) =>
  appendMessage(draft, { id, role: 'user', content: id, run_id: null, step: null });
const speak = (draft: Draft, rno: number, delta: string) => appendEvent(draft, rno, 'text_delta', { delta });

describe('a draft', () => {
  test('reads through to what lies below, and keeps what it writes to itself', () => {
    const cells = committed();
    const base = new Draft(cells, 1);
    const top = new Draft(base, 2);
    base.set('state', { a: 1 });
    expect(top.get('state')).toEqual({ a: 1 });
    top.set('state', undefined);
    expect([top.get('state'), base.get('state'), cells.get('state')]).toEqual([undefined, { a: 1 }, undefined]);
    base.absorb(top);
    expect(base.get('state')).toBeUndefined();
    expect(cells.get('state')).toBeUndefined();
  });

  test('is empty until something is written', () => {
    const draft = new Draft(committed(), 1);
    expect(draft.isEmpty).toBe(true);
    draft.get('thread');
    expect(draft.isEmpty).toBe(true);
    draft.editThread({});
    expect(draft.isEmpty).toBe(false);
  });

  test('numbers the events of each run where the last one stopped, whoever absorbs whom', () => {
    const base = new Draft(committed(), 10);
    speak(base, 1, 'a');
    const first = new Draft(base, 11);
    speak(first, 1, 'b');
    speak(first, 2, 'x');
    base.absorb(first);
    const dropped = new Draft(base, 12);
    speak(dropped, 1, 'never');
    const second = new Draft(base, 13);
    speak(second, 1, 'c');
    base.absorb(second);
    const chunks = new Map(chunksOf(base));
    expect(chunks.get(1)).toMatchObject({ n: 0, t0: 10 });
    expect(chunks.get(1)!.events).toEqual([
      ['text_delta', 0, { delta: 'a' }],
      ['text_delta', 1, { delta: 'b' }],
      ['text_delta', 3, { delta: 'c' }],
    ]);
    expect(base.get('l1')).toMatchObject({ seq: 3, partial: 'abc' });
    expect(chunks.get(2)).toMatchObject({ n: 0, t0: 11 });
  });

  test('the state of the encoders in a chunk is that before its first event', () => {
    const cells = committed();
    const before = new Draft(cells, 1);
    appendEvent(before, 1, 'step_start', { message_id: 'm' });
    for (const [key, value] of before.changed) cells.values.set(key, value);
    const draft = new Draft(cells, 2);
    speak(draft, 1, 'a');
    expect(new Map(chunksOf(draft)).get(1)).toMatchObject({
      n: 1,
      enc: { message_id: 'm', step: 0, in_step: true, open: null },
    });
  });
});

test('of any size is absorbed: more messages, rows and events than a call takes arguments', () => {
  const base = new Draft(committed(), 1);
  const top = new Draft(base, 1);
  const many = 200_000;
  for (let i = 0; i < many; i++) {
    top.messages.push({ id: `m${i}`, cursor: i } as Message);
    top.rows.push({ type: 'del', key: keys.message(1, i) });
  }
  speak(base, 1, 'begins');
  speak(top, 1, 'x');
  const log = top.logs.get(1)!;
  for (let i = 1; i < many; i++) log.events.push(log.events[0]!);
  base.absorb(top);
  expect([base.messages.length, base.rows.length, base.logs.get(1)!.events.length]).toEqual([many, many, many + 1]);
});

test('messages and cuts, over any number of items and steps, leave the rows that a plain list would', () => {
  type Act = { do: 'say' } | { do: 'cut'; keeps: number };
  const anyAct: fc.Arbitrary<Act> = fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant('say' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('cut' as const), keeps: fc.nat(5) }) },
  );
  const anyItem = fc.record({ acts: fc.array(anyAct, { maxLength: 4 }), throws: fc.boolean() });
  const anySteps = fc.array(fc.record({ items: fc.array(anyItem, { maxLength: 4 }), fails: fc.boolean() }), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(anySteps, (steps) => {
      const cells = committed();
      const disk = new Disk();
      let list: { id: string; cursor: number }[] = [];
      let next = 0;
      let said = 0;
      for (const step of steps) {
        const base = new Draft(cells, 1);
        let [listed, cursor] = [list, next];
        for (const item of step.items) {
          const draft = new Draft(base, 1);
          let [mine, mineNext] = [listed, cursor];
          for (const act of item.acts) {
            if (act.do === 'say') {
              const id = `m${said++}`;
              say(draft, id);
              mine = [...mine, { id, cursor: mineNext++ }];
            } else if (mine.length > act.keeps) {
              draft.cutMessages({ from: mine[act.keeps]!.cursor, keeps: act.keeps });
              mine = mine.slice(0, act.keeps);
            }
          }
          expect([...draft.messageIds(list as Message[])]).toEqual(mine.map(({ id }) => id));
          if (item.throws) continue;
          base.absorb(draft);
          [listed, cursor] = [mine, mineNext];
        }
        if (step.fails || base.isEmpty) continue;
        disk.apply(opsOf(1, base, cells, chunksOf(base)).filter(({ key }) => key[0] === keys.message(1, 0)[0]));
        for (const [key, value] of base.changed) cells.values.set(key, value);
        [list, next] = [listed, cursor];
        const rows = disk.rows(keys.messagesOf(1)).map(([, value]) => JSON.parse(value) as Message);
        expect(rows.map(({ id, cursor: at }) => ({ id, cursor: at }))).toEqual(list);
        expect(cells.get('thread')).toMatchObject({ next_cursor: next, message_count: list.length });
      }
    }),
    { numRuns: 300 },
  );
});
