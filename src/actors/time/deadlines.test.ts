import { describe, expect, test } from 'vitest';
import fc from '../../../test/support/property.js';
import { FakeClock } from '../../../test/support/fake-clock.js';
import type { Clock } from './clock.js';
import { Deadlines } from './deadlines.js';

const at = (clock: FakeClock, ms: number): number => clock.now() + ms;

function opened() {
  const clock = new FakeClock();
  const fired: string[] = [];
  const deadlines = new Deadlines(clock);
  return { clock, fired, deadlines, set: (ms: number, name: string) => setNamed(deadlines, clock, fired, ms, name) };
}
const setNamed = (deadlines: Deadlines, clock: FakeClock, fired: string[], ms: number, name: string) =>
  deadlines.set(at(clock, ms), () => fired.push(name));

describe('deadlines', () => {
  test('fire in the order of their times, whatever the order they were set in', () => {
    const { clock, fired, set } = opened();
    for (const ms of [5, 1, 4, 2, 3]) set(ms, `${ms}`);
    clock.advance(3);
    expect(fired).toEqual(['1', '2', '3']);
    clock.advance(10);
    expect(fired).toEqual(['1', '2', '3', '4', '5']);
  });

  test('never fire early: a native timer that comes too soon is armed again', () => {
    const armed: { at: number; fire: () => void }[] = [];
    let now = 100;
    const hasty: Clock = {
      now: () => now,
      at: (time, fire) => {
        armed.push({ at: time, fire });
        return () => {};
      },
    };
    const fired: number[] = [];
    new Deadlines(hasty).set(200, () => fired.push(now));
    now = 199;
    armed[0]!.fire();
    expect(fired).toEqual([]);
    expect(armed.map((timer) => timer.at)).toEqual([200, 200]);
    now = 200;
    armed[1]!.fire();
    expect(fired).toEqual([200]);
  });

  test('a cancelled one does not fire, the others do, and cancelling again or too late is harmless', () => {
    const { clock, fired, set } = opened();
    const cancelFirst = set(1, 'first');
    const cancelSecond = set(2, 'second');
    set(3, 'third');
    cancelFirst();
    cancelFirst();
    clock.advance(2);
    cancelSecond();
    clock.advance(5);
    expect(fired).toEqual(['second', 'third']);
  });

  test('one may be set, and another cancelled, while they fire', () => {
    const { clock, fired, deadlines, set } = opened();
    let cancel = (): void => {};
    deadlines.set(at(clock, 1), () => {
      cancel();
      set(0, 'at once');
      set(1, 'later');
    });
    cancel = set(1, 'cancelled');
    clock.advance(1);
    expect(fired).toEqual(['at once']);
    clock.advance(1);
    expect(fired).toEqual(['at once', 'later']);
  });

  test('one that is due already fires at the next turn of the clock', () => {
    const { clock, fired, set } = opened();
    set(-1000, 'overdue');
    expect(fired).toEqual([]);
    clock.advance(0);
    expect(fired).toEqual(['overdue']);
  });

  test('clear forgets all of them, and new ones may be set', () => {
    const { clock, fired, deadlines, set } = opened();
    set(1, 'forgotten');
    deadlines.clear();
    expect(deadlines.size).toBe(0);
    set(2, 'new');
    clock.advance(5);
    expect(fired).toEqual(['new']);
  });

  test('cancelled ones do not pile up: they are forgotten long before their time', () => {
    const { deadlines, set } = opened();
    set(1, 'stays in front of them');
    for (let i = 0; i < 10_000; i++) set(300_000 + i, 'never')();
    expect(deadlines.size).toBeLessThan(1_000);
  });

  type Op = { op: 'set'; ms: number } | { op: 'cancel'; which: number } | { op: 'advance'; ms: number };
  const anyOp: fc.Arbitrary<Op> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ op: fc.constant('set' as const), ms: fc.integer({ min: -5, max: 60 }) }) },
    { weight: 3, arbitrary: fc.record({ op: fc.constant('cancel' as const), which: fc.nat(200) }) },
    { weight: 2, arbitrary: fc.record({ op: fc.constant('advance' as const), ms: fc.nat(20) }) },
  );

  test('are a list of times: each fires once, not before its time, in order, unless it was cancelled', () => {
    fc.assert(
      fc.property(fc.array(anyOp, { maxLength: 300 }), (ops) => {
        const clock = new FakeClock(1_000);
        const deadlines = new Deadlines(clock);
        const all: { at: number; cancel: () => void; gone: boolean; fired: number[] }[] = [];
        const order: number[] = [];
        for (const op of ops) {
          if (op.op === 'set') {
            const one = { at: clock.now() + op.ms, cancel: () => {}, gone: false, fired: [] as number[] };
            one.cancel = deadlines.set(one.at, () => {
              one.fired.push(clock.now());
              order.push(one.at);
            });
            all.push(one);
          } else if (op.op === 'cancel' && all.length > 0) {
            const one = all[op.which % all.length]!;
            one.cancel();
            one.gone ||= one.fired.length === 0;
          } else if (op.op === 'advance') {
            const before = order.length;
            clock.advance(op.ms);
            for (const one of all) {
              const due = !one.gone && one.at <= clock.now();
              expect(one.fired).toHaveLength(due ? 1 : 0);
              if (due) expect(one.fired[0]).toBeGreaterThanOrEqual(one.at);
            }
            const news = order.slice(before);
            expect(news).toEqual([...news].sort((a, b) => a - b));
          }
        }
      }),
    );
  });
});
