import { describe, expect, test } from 'vitest';
import fc from '../../../test/support/property.js';
import { Inbox, type DeltaItem, type Item } from './inbox.js';

const fact = (token: number): Item => ({ kind: 'fact', from: { path: '1', fx: 'x', token }, event: { type: 'E' } });
const delta = (bytes: number, token = 1, text = ''): DeltaItem => ({
  kind: 'delta',
  from: { path: '1', fx: 'model', token },
  events: [['text_delta', { delta: text }]],
  bytes,
});
const request = (): Item => ({ kind: 'request', handle: () => () => null, resolve: () => {}, reject: () => {} });
/** Whether a producer would have to wait now. */
const full = (inbox: Inbox): boolean => inbox.room() !== undefined;

describe('draining', () => {
  test('keeps the order and takes at most 256 items', () => {
    const inbox = new Inbox(1000);
    const items = Array.from({ length: 300 }, (_, i) => fact(i));
    for (const item of items) inbox.push(item);
    expect(inbox.drain()).toEqual(items.slice(0, 256));
    expect(inbox.drain()).toEqual(items.slice(256));
    expect(inbox.drain()).toEqual([]);
  });

  test('takes no further item once it has 64 kB, and always one', () => {
    const inbox = new Inbox(1e9);
    for (const bytes of [40_000, 40_000, 40_000, 200_000, 1]) inbox.push(delta(bytes));
    expect([1, 2, 3].map(() => inbox.drain().length)).toEqual([2, 2, 1]);
  });

  test('what is put back comes first, in its order', () => {
    const inbox = new Inbox(1000);
    const [a, b, c] = [fact(1), fact(2), fact(3)] as const;
    inbox.push(a);
    inbox.push(b);
    const taken = inbox.drain();
    inbox.push(c);
    inbox.putBack(taken);
    inbox.settled(taken);
    expect(inbox.drain()).toEqual([a, b, c]);
  });
});

test('requests can be taken out; the rest stays in its order', () => {
  const inbox = new Inbox(1000);
  const [a, b, asked] = [fact(1), fact(2), request()] as const;
  for (const item of [a, asked, b]) inbox.push(item);
  expect(inbox.takeRequests()).toEqual([asked]);
  expect(inbox.takeRequests()).toEqual([]);
  expect(inbox.drain()).toEqual([a, b]);
});

describe('back-pressure', () => {
  test('a producer waits from the bound on until enough is durable, not until it is drained', async () => {
    const inbox = new Inbox(100);
    inbox.push(delta(99));
    expect(full(inbox)).toBe(false);
    inbox.push(delta(1));
    const room = inbox.room();
    let free = false;
    void room!.then(() => (free = true));
    const items = inbox.drain();
    await Promise.resolve();
    expect(free).toBe(false);
    inbox.settled(items);
    await room;
    expect(full(inbox)).toBe(false);
  });

  test('all producers go on at once; only deltas count', async () => {
    const inbox = new Inbox(10);
    inbox.push(request());
    inbox.push(fact(1));
    expect(full(inbox)).toBe(false);
    inbox.push(delta(10));
    const rooms = [inbox.room()!, inbox.room()!];
    inbox.settled(inbox.drain());
    await Promise.all(rooms);
  });

  test('closing lets everybody go and answers with what was there', async () => {
    const inbox = new Inbox(10);
    const item = delta(10);
    inbox.push(item);
    const room = inbox.room();
    expect(inbox.clear()).toEqual([item]);
    await room;
    expect(inbox.length).toBe(0);
  });
});

describe('reports of which only the newest counts', () => {
  const said = (items: Item[]) =>
    items.flatMap((item) =>
      item.kind === 'delta' ? item.events.map(([, data]) => (data as { delta: string }).delta) : [],
    );

  test('take the place of the one of their subject that waits', () => {
    const inbox = new Inbox(1000);
    inbox.pushLatest(delta(1, 1, 'a1'), 'a');
    inbox.pushLatest(delta(1, 1, 'b1'), 'b');
    inbox.push(delta(1, 1, 'text'));
    inbox.pushLatest(delta(1, 1, 'a2'), 'a');
    expect(said(inbox.drain())).toEqual(['a2', 'b1', 'text']);
  });

  test('not of another effect, nor of one that a step has taken', () => {
    const inbox = new Inbox(1000);
    inbox.pushLatest(delta(1, 1, 'one'), 'a');
    inbox.pushLatest(delta(1, 2, 'two'), 'a');
    expect(said(inbox.drain())).toEqual(['one', 'two']);
    inbox.pushLatest(delta(1, 1, 'three'), 'a');
    expect(said(inbox.drain())).toEqual(['three']);
  });

  test('count once: a tight loop never fills the inbox', () => {
    const inbox = new Inbox(100);
    for (let i = 0; i < 10_000; i++) inbox.pushLatest(delta(60), 'progress');
    expect(full(inbox)).toBe(false);
    expect(inbox.length).toBe(1);
    inbox.pushLatest(delta(120), 'progress');
    expect(full(inbox)).toBe(true);
    inbox.settled(inbox.drain());
    expect(full(inbox)).toBe(false);
  });
});

test('the bytes are those of the deltas that are not durable, whatever fails and is put back', () => {
  type Op = { op: 'push' | 'latest'; bytes: number } | { op: 'drain' } | { op: 'settle' | 'fail' };
  const anyOp: fc.Arbitrary<Op> = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ op: fc.constantFrom('push', 'latest'), bytes: fc.integer({ min: 1, max: 50 }) }),
    },
    fc.record({ op: fc.constant('drain' as const) }),
    fc.record({ op: fc.constantFrom('settle', 'fail') }),
  );
  fc.assert(
    fc.property(fc.array(anyOp, { maxLength: 100 }), (ops) => {
      const bound = 100;
      const inbox = new Inbox(bound);
      let waiting: DeltaItem[] = [];
      let taken: Item[] = [];
      for (const op of ops) {
        if (op.op === 'push') {
          const item = delta(op.bytes);
          waiting.push(item);
          inbox.push(item);
        } else if (op.op === 'latest') {
          const item = delta(op.bytes);
          const length = inbox.length;
          inbox.pushLatest(item, 'subject');
          if (inbox.length > length) waiting.push(item);
        } else if (op.op === 'drain') {
          if (taken.length > 0) continue;
          taken = inbox.drain();
          waiting = waiting.filter((item) => !taken.includes(item));
        } else if (op.op === 'settle') {
          inbox.settled(taken.splice(0));
        } else {
          inbox.putBack(taken);
          inbox.settled(taken);
          waiting = [...(taken.splice(0) as DeltaItem[]), ...waiting];
        }
        const bytes = [...waiting, ...(taken as DeltaItem[])].reduce((sum, item) => sum + item.bytes, 0);
        expect(full(inbox)).toBe(bytes >= bound);
      }
    }),
  );
});
