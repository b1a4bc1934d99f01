import { describe, expect, test } from 'vitest';
import { ignored as __, take, testTable } from '../../../test/support/machine-table.js';
import { isTerminalEntry, mailboxEntryDefinition, nextEntryStatus, type EntryEvent } from './mailbox-entry.js';

const active = { key: '7', run_id: 'r7' };
const busy = { context: { generation: 2, active }, children: [['7', 'run']] as [string, string][] };
const input = {
  run_id: 'r8',
  agent_id: 'a',
  parent_run_id: null,
  parent_thread_id: null,
  origin: 'user',
  mode: 'sequential',
  limits: {},
};

testTable({
  kind: 'thread',
  states: {
    idle: { value: 'idle', context: { generation: 2, active: null } },
    running: { value: 'running', ...busy },
    waiting: { value: 'waiting', ...busy },
  },
  events: {
    START: { type: 'START', key: '8', run: { ...input, limits: { timeout_ms: null } } },
    INTERRUPT: { type: 'INTERRUPT' },
    TELL: { type: 'TELL', run_id: 'r7', event: { type: 'CANCEL', code: 'cancelled', detail: null } },
    tellOther: { type: 'TELL', run_id: 'r1', event: { type: 'CANCEL', code: 'cancelled', detail: null } },
    WAITING: { type: 'WAITING', run_id: 'r7' },
    RESUMED: { type: 'RESUMED', run_id: 'r7' },
    FINISHED: { type: 'FINISHED', run_id: 'r7' },
    finishedOther: { type: 'FINISHED', run_id: 'r1' },
  },
  // prettier-ignore
  rows: {
    idle:    { START: 'running', INTERRUPT: 'idle', TELL: __, tellOther: __, WAITING: __, RESUMED: __, FINISHED: __, finishedOther: __ },
    running: { START: __, INTERRUPT: 'running', TELL: 'running', tellOther: __, WAITING: 'waiting', RESUMED: __, FINISHED: 'idle', finishedOther: __ },
    waiting: { START: __, INTERRUPT: 'waiting', TELL: 'waiting', tellOther: __, WAITING: __, RESUMED: 'running', FINISHED: 'idle', finishedOther: __ },
  },
});

test('an interrupt raises the generation and stops the active run', () => {
  const { context, wants } = take('thread', { value: 'waiting', ...busy }, { type: 'INTERRUPT' });
  expect(context).toEqual({ generation: 3, active });
  expect(wants).toEqual([
    { want: 'send', id: '7', event: { type: 'CANCEL', code: 'cancelled', detail: 'interrupted' } },
  ]);
});

describe('the mailbox entry (CONTRACT 4.2)', () => {
  const events: EntryEvent[] = ['CLAIM', 'ACCEPT', 'RELEASE', 'SUPERSEDE', 'CANCEL', 'BURY'];
  // prettier-ignore
  const table = {
    queued:      ['claimed', undefined, undefined, 'superseded', 'cancelled', 'dead_letter'],
    claimed:     [undefined, 'accepted', 'queued', undefined, undefined, 'dead_letter'],
    accepted:    [undefined, undefined, undefined, undefined, undefined, undefined],
    superseded:  [undefined, undefined, undefined, undefined, undefined, undefined],
    cancelled:   [undefined, undefined, undefined, undefined, undefined, undefined],
    dead_letter: [undefined, undefined, undefined, undefined, undefined, undefined],
  } as const;
  test.each(Object.entries(table))('%s', (status, row) => {
    expect(events.map((event) => nextEntryStatus(status as keyof typeof table, event))).toEqual(row);
    expect(isTerminalEntry(status as keyof typeof table)).toBe(row.every((next) => next === undefined));
  });
  test('the definition that is drawn is the same table', () => {
    expect(Object.keys(mailboxEntryDefinition.states)).toEqual(Object.keys(table));
    expect(mailboxEntryDefinition.states['queued']).toEqual({
      on: { CLAIM: 'claimed', SUPERSEDE: 'superseded', CANCEL: 'cancelled', BURY: 'dead_letter' },
    });
  });
});
