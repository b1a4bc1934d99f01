import { describe, expect, test } from 'vitest';
import fc from '../../../test/support/property.js';
import { Admission, type Slot } from './admission.js';

/** A thread that notes when it is called; what it does then is the test's business. */
class Thread {
  calls = 0;
  constructor(
    readonly name: string,
    private readonly onTurn: (thread: Thread) => void = () => {},
  ) {}
  turn(): void {
    this.calls++;
    this.onTurn(this);
  }
}
const none: readonly Slot[] = [];
const ends = (admission: Admission<Thread>, thread: Thread) => admission.settle(thread, false, () => none);
const agent = (id: string, max: number): Slot => ({ key: `agent ${id}`, max });

describe('slots of the process', () => {
  test('are as many as the limit says, and come back when a run ends or waits', () => {
    const admission = new Admission<Thread>(2);
    const [a, b, c] = ['a', 'b', 'c'].map((name) => new Thread(name)) as [Thread, Thread, Thread];
    expect([a, b, c].map((thread) => admission.reserve(thread, none))).toEqual([true, true, false]);
    expect([admission.running, admission.queued]).toEqual([2, 1]);
    ends(admission, a);
    expect(c.calls).toBe(1);
    expect(admission.reserve(c, none)).toBe(true);
    expect([admission.running, admission.queued]).toEqual([2, 0]);
  });

  test('a thread that has its slot keeps it, however often it asks', () => {
    const admission = new Admission<Thread>(1);
    const a = new Thread('a');
    expect([admission.reserve(a, none), admission.reserve(a, none)]).toEqual([true, true]);
    expect(admission.running).toBe(1);
  });

  test('a resumed run runs at once, over the limit, and the next one waits until there is room again', () => {
    const admission = new Admission<Thread>(1);
    const [a, resumed, next] = ['a', 'resumed', 'next'].map((name) => new Thread(name)) as [Thread, Thread, Thread];
    admission.reserve(a, none);
    admission.settle(resumed, true, () => none);
    expect(admission.running).toBe(2);
    admission.reserve(next, none);
    ends(admission, a);
    expect(next.calls).toBe(0);
    ends(admission, resumed);
    expect(next.calls).toBe(1);
  });

  test('are given in the order of arrival, also when two come back before a called thread has had its turn', () => {
    const admission = new Admission<Thread>(2);
    const names = ['a', 'b', 'c', 'd', 'e'];
    const [a, b, c, d, e] = names.map((name) => new Thread(name)) as [Thread, Thread, Thread, Thread, Thread];
    for (const thread of [a, b, c, d, e]) admission.reserve(thread, none);
    ends(admission, a);
    ends(admission, b);
    expect([c, d, e].map((thread) => thread.calls)).toEqual([1, 1, 0]);
  });

  test('one that has been called has its slot: a newcomer does not take it', () => {
    const admission = new Admission<Thread>(1);
    const [a, b, newcomer] = ['a', 'b', 'newcomer'].map((name) => new Thread(name)) as [Thread, Thread, Thread];
    admission.reserve(a, none);
    admission.reserve(b, none);
    ends(admission, a);
    expect(admission.reserve(newcomer, none)).toBe(false);
    expect(admission.reserve(b, none)).toBe(true);
  });

  test('one that was called and wants none any more passes it on', () => {
    const admission = new Admission<Thread>(1);
    const [a, b, c] = ['a', 'b', 'c'].map((name) => new Thread(name)) as [Thread, Thread, Thread];
    for (const thread of [a, b, c]) admission.reserve(thread, none);
    ends(admission, a);
    expect([b.calls, c.calls]).toEqual([1, 0]);
    admission.answered(b);
    expect(c.calls).toBe(1);
  });

  test('one that has left memory wants none any more', () => {
    const admission = new Admission<Thread>(1);
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => new Thread(name)) as [Thread, Thread, Thread, Thread];
    for (const thread of [a, b, c, d]) admission.reserve(thread, none);
    admission.forget(b);
    ends(admission, a);
    expect([b.calls, c.calls]).toEqual([0, 1]);
    admission.forget(c);
    expect(d.calls).toBe(1);
    admission.reserve(d, none);
    admission.forget(d);
    expect(admission.running).toBe(0);
  });
});

describe('slots of an agent or a provider', () => {
  test('a thread that waits for a busy agent does not hold up those behind it', () => {
    const admission = new Admission<Thread>(3);
    const [a, b, c] = ['a', 'b', 'c'].map((name) => new Thread(name)) as [Thread, Thread, Thread];
    expect(admission.reserve(a, [agent('x', 1)])).toBe(true);
    expect(admission.reserve(b, [agent('x', 1)])).toBe(false);
    expect(admission.reserve(c, [agent('y', 1)])).toBe(true);
    ends(admission, c);
    expect(b.calls).toBe(0);
    ends(admission, a);
    expect(b.calls).toBe(1);
  });

  test('those that fit together are called together', () => {
    const admission = new Admission<Thread>(1);
    const first = new Thread('first');
    admission.reserve(first, none);
    const waiting = ['x', 'x', 'y'].map((id) => {
      const thread = new Thread(id);
      admission.reserve(thread, [agent(id, 1)]);
      return thread;
    });
    ends(admission, first);
    expect(waiting.map((thread) => thread.calls)).toEqual([1, 0, 0]);
  });
});

/** Any order of arrivals, ends, resumptions and lost interest: nobody who still wants a slot waits beside a free one. */
test('no slot stays free while somebody wants it, and no limit is broken by a reservation', () => {
  type Op = { op: 'arrive'; id: number } | { op: 'end' | 'resume' | 'lose' | 'answer' | 'forget'; which: number };
  const anyOp: fc.Arbitrary<Op> = fc.oneof(
    fc.record({ op: fc.constant('arrive' as const), id: fc.nat(2) }),
    fc.record({ op: fc.constantFrom('end', 'resume', 'lose', 'answer', 'forget'), which: fc.nat(40) }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), fc.array(anyOp, { maxLength: 60 }), (max, ops) => {
      const admission = new Admission<Thread>(max);
      const wants = new Map<Thread, readonly Slot[]>();
      const running = new Map<Thread, readonly Slot[]>();
      const called = new Set<Thread>();
      const answer = (thread: Thread) => {
        called.delete(thread);
        const slots = wants.get(thread);
        if (slots && admission.reserve(thread, slots)) {
          wants.delete(thread);
          running.set(thread, slots);
        }
        admission.answered(thread);
      };
      let n = 0;
      const pick = <T>(from: Iterable<T>, which: number): T | undefined =>
        [...from].at(which % ([...from].length || 1));
      for (const op of ops) {
        if (op.op === 'arrive') {
          const thread = new Thread(`${n++}`, (self) => void called.add(self));
          wants.set(thread, [agent(`${op.id}`, 1)]);
          const before = running.size;
          answer(thread);
          if (running.size > before) expect(before).toBeLessThan(max);
        } else if (op.op === 'end') {
          const thread = pick(running.keys(), op.which);
          if (thread) running.delete(thread);
          if (thread) ends(admission, thread);
        } else if (op.op === 'resume') {
          const thread = new Thread(`${n++}`, (self) => void called.add(self));
          running.set(thread, none);
          admission.settle(thread, true, () => none);
        } else if (op.op === 'lose') {
          const thread = pick(wants.keys(), op.which);
          if (thread) wants.delete(thread);
        } else if (op.op === 'forget') {
          const thread = pick(wants.keys(), op.which);
          if (thread) {
            wants.delete(thread);
            called.delete(thread);
            admission.forget(thread);
          }
        } else {
          const thread = pick(called, op.which);
          if (thread) answer(thread);
        }
      }
      for (let i = 0; called.size > 0; i++) {
        expect(i).toBeLessThan(1_000);
        answer([...called][0]!);
      }
      expect(admission.running).toBe(running.size);
      const used = new Set([...running.values()].flatMap((slots) => slots.map(({ key }) => key)));
      if (running.size < max)
        for (const [thread, slots] of wants)
          expect(
            slots.some(({ key }) => used.has(key)),
            `thread ${thread.name} waits beside a free slot`,
          ).toBe(true);
    }),
    { numRuns: 500 },
  );
});
