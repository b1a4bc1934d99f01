import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Batches } from './batches.js';

describe('Batches', () => {
  it('hands over together what was put in one turn', async () => {
    const batches = new Batches<number>(10);
    const first = batches.next();
    batches.put(1);
    await Promise.resolve();
    batches.put(2);
    expect(await first).toEqual([1, 2]);
    batches.put(3);
    expect(await batches.next()).toEqual([3]);
  });

  it('hands over what was put while nobody asked', async () => {
    const batches = new Batches<number>(10);
    batches.put(1);
    await turn();
    expect(await batches.next()).toEqual([1]);
  });

  it('hands over a full buffer without waiting for the turn, and makes the reader wait for room', async () => {
    const batches = new Batches<number>(2);
    batches.put(1);
    expect(batches.room()).toBeUndefined();
    batches.put(2);
    let free = false;
    const room = batches.room()!.then(() => (free = true));
    const ended = Promise.race([batches.next(), turn().then(() => 'a turn passed')]);
    expect(await ended).toEqual([1, 2]);
    await room;
    expect(free).toBe(true);
    expect(batches.room()).toBeUndefined();
  });

  it('ends after the last batch, and stays ended', async () => {
    const batches = new Batches<number>(10);
    batches.put(1);
    batches.close();
    batches.fail(new Error('too late'));
    expect(await batches.next()).toEqual([1]);
    expect(await batches.next()).toBeUndefined();
    expect(await batches.next()).toBeUndefined();
  });

  it('hands over what came before a failure, then throws it', async () => {
    const batches = new Batches<number>(10);
    const failure = new Error('broken');
    const first = batches.next();
    batches.put(1);
    batches.fail(failure);
    expect(await first).toEqual([1]);
    await expect(batches.next()).rejects.toBe(failure);
  });
});
