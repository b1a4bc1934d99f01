import { describe, expect, it } from 'vitest';
import { KeepAlive, type KeptAlive } from './keep-alive.js';

function manual() {
  const timers: { fire: () => void; ms: number; unrefed: boolean }[] = [];
  return {
    timers,
    setInterval(fire: () => void, ms: number) {
      const timer = { fire, ms, unrefed: false, unref: () => (timer.unrefed = true) };
      timers.push(timer);
      return timer;
    },
    clearInterval: (timer: unknown) => void timers.splice(timers.indexOf(timer as (typeof timers)[0]), 1),
  };
}
const stream = () => {
  const pings = { quietSince: -1, count: 0, ping: () => void pings.count++ };
  return pings satisfies KeptAlive & { count: number };
};

describe('KeepAlive', () => {
  it('pings after the silence, not before, and again after the next', () => {
    const clock = new KeepAlive(15_000, manual());
    const quiet = stream();
    clock.add(quiet);
    for (let i = 0; i < 14; i++) clock.tick();
    expect(quiet.count).toBe(0);
    clock.tick();
    expect(quiet.count).toBe(1);
    for (let i = 0; i < 15; i++) clock.tick();
    expect(quiet.count).toBe(2);
  });

  it('counts from the last write', () => {
    const clock = new KeepAlive(15_000, manual());
    const busy = stream();
    clock.add(busy);
    for (let i = 0; i < 100; i++) {
      clock.tick();
      if (i % 10 === 0) busy.quietSince = clock.now;
    }
    expect(busy.count).toBe(0);
  });

  it('has one timer for all streams, only while there are any, and it keeps no process alive', () => {
    const timers = manual();
    const clock = new KeepAlive(15_000, timers);
    const [a, b] = [stream(), stream()];
    clock.add(a);
    clock.add(b);
    expect(timers.timers).toMatchObject([{ ms: 1000, unrefed: true }]);
    clock.remove(a);
    expect(timers.timers).toHaveLength(1);
    clock.remove(b);
    expect(timers.timers).toHaveLength(0);
    clock.add(a);
    timers.timers[0]!.fire();
    expect(clock.now).toBe(1);
  });
});
