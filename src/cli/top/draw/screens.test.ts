/** Every screen as it looks. The pictures in `golden/` are the expectation: read them when they change. */

import { describe, expect, it } from 'vitest';
import { actor, agent, approval, asking, feed, modelOf, NOW, page, stats } from '../../../../test/support/top-model.js';
import type { MailboxEntry, RunEvent, Thread } from '../../client/index.js';
import { toPlain } from '../../rail/index.js';
import { screenNames, type Model, type ScreenName } from '../model/model.js';
import { onKey } from '../model/update.js';
import { drawScreen } from './screen.js';

const tool = (progress: number | null) => ({
  name: 'export_csv',
  arguments: { rows: 12_000 },
  progress,
  message: null,
});
const runs = [
  asking('01a1fd45-5097-76e4-be34-8e24da6e8220', { thread_id: 'th-91ab', since: NOW - 252_000, queued: 3 }),
  asking('01a1fd45-5107-71ec-abd4-4057d69d3636', { thread_id: 'th-02cd', since: NOW - 61_000, agent_id: 'support' }),
  actor({
    run_id: '01a1fd45-511d-7461-b1ea-e68ebdf4e8eb',
    thread_id: 'th-77c0',
    value: { running: 'acting' },
    path: ['running', 'acting'],
    since: NOW - 12_000,
    tool: tool(0.62),
  }),
  actor({
    run_id: '01a1fd45-5141-7647-8c4c-3a1a7a625d2e',
    thread_id: 'th-5512',
    agent_id: 'search',
    since: NOW - 2_000,
  }),
  asking('01a1fd45-5164-7594-90d9-719372d2b46c', {
    thread_id: 'th-dead',
    since: NOW - 9_000_000,
    waiting_for: { kind: 'in_doubt', message: 'did it happen?', tool_call_ids: ['call-1'] },
  }),
];

const threads: Thread[] = [
  {
    id: 'th-91ab',
    resource_id: null,
    parent_thread_id: null,
    status: 'waiting',
    active_run_id: runs[0]!.run_id,
    generation: 0,
    message_count: 14,
    queued_count: 3,
    title: 'Refund of order 1200',
    metadata: {},
    created_at: NOW - 9e6,
    updated_at: NOW - 252_000,
  },
  {
    id: 'th-0001',
    resource_id: null,
    parent_thread_id: null,
    status: 'idle',
    active_run_id: null,
    generation: 2,
    message_count: 1_204,
    queued_count: 0,
    title: null,
    metadata: {},
    created_at: NOW - 9e8,
    updated_at: NOW - 8e8,
  },
];

const letter = {
  entry_id: '01a1fd46-ae36-7438-be09-d220a8ee27fd',
  thread_id: 'th-77c0',
  mailbox_id: 'th-77c0',
  run_id: '01a1fd46-ae36-7438-be09-d220a8ee0000',
  agent_id: 'gone',
  origin: 'external',
  sender_id: null,
  priority: 128,
  dedupe_key: null,
  generation: 0,
  status: 'dead_letter',
  available_at: NOW,
  attempt_count: 1,
  last_error: 'agent not found: gone',
  payload: { messages: [{ role: 'user', content: 'send the invoice' }] },
  created_at: NOW - 4e6,
  updated_at: NOW - 4e6,
} satisfies MailboxEntry;

const event = (seq: number, type: string, data: RunEvent['data']): RunEvent => ({
  type,
  run_id: runs[2]!.run_id!,
  thread_id: 'th-77c0',
  seq,
  timestamp_ms: Date.UTC(2026, 0, 1, 12, 0, seq),
  step: 0,
  data,
});

function shown(screen: ScreenName, columns: number, rows: number): Model {
  const model = modelOf(runs, {}, { columns, rows });
  for (let i = 0; i < 90; i++)
    model.pulse.push({
      ...stats,
      runs_per_s: 100 + Math.round(100 * Math.sin(i / 9)),
      waiting: i % 6,
      heap_bytes: 2e8 + i * 1e6,
    });
  model.tail.push(event(7, 'tool_call_ready', { id: 'call-1', name: 'export_csv', arguments: { rows: 12_000 } }));
  model.tail.push(event(8, 'text_delta', { delta: 'The export is ' }));
  model.tail.push(event(9, 'run_finish', { termination: { code: 'natural', detail: null }, result: null }));
  model.view = { ...model.view, screen };
  feed(model, {
    agents: page([
      agent('billing', { refund: 'once', export_csv: 'idempotent' }),
      agent('search', { look_up: 'readOnly' }),
    ]),
    approvals: page(runs.filter((run) => run.waiting_for !== null).map(approval)),
    '/v1/threads': page(threads),
    '/v1/mailbox': page([letter]),
  });
  return model;
}

const picture = (model: Model): string => `${drawScreen(model).map(toPlain).join('\n')}\n`;
/** The one thing that depends on where the tests run. */
const withoutClock = (text: string): string => text.replace(/\d\d:00:0\d/g, 'HH:MM:SS');

describe.each(screenNames)('the screen of %s', (screen) => {
  it.each([
    [80, 24],
    [120, 40],
  ])('at %i×%i', async (columns, rows) =>
    expect(withoutClock(picture(shown(screen, columns, rows)))).toMatchFileSnapshot(
      `golden/${screen}-${columns}x${rows}.txt`,
    ),
  );
});

describe('a box', () => {
  it.each([
    ['keys', ['?']],
    ['interrupt', ['j', 'i']],
    ['command', ['enter', 'o']],
  ])('of %s fits the smallest screen', async (name, pressed) => {
    const model = shown('runs', 80, 24);
    for (const key of pressed) model.view = onKey(model, key).view;
    await expect(picture(model)).toMatchFileSnapshot(`golden/box-${name}.txt`);
  });
});

it('says that the server is gone, and how old the picture is', () => {
  const model = shown('runs', 100, 24);
  model.connection = { is: 'lost', reason: 'connection refused', attempt: 3, since: NOW - 12_000, next: NOW + 1_500 };
  expect(picture(model).split('\n')[1]).toBe(
    '│ SERVER GONE  connection refused · try 3 in 2s · what you see is 12s old                          │',
  );
});

it('says nothing of the age of a picture that it never had', () => {
  const model = shown('runs', 100, 24);
  model.stats = null;
  model.connection = { is: 'lost', reason: 'connection refused', attempt: 3, since: NOW - 12_000, next: NOW + 1_500 };
  expect(picture(model)).not.toContain('what you see');
});

it('says nothing of time in a picture that is held', () => {
  const model = shown('runs', 100, 24);
  model.connection = { is: 'lost', reason: 'connection refused', attempt: 3, since: NOW - 12_000, next: NOW + 90_000 };
  model.view = onKey(model, 'p').view;
  expect(picture(model).split('\n')[1]).toMatch(/^│ SERVER GONE {2}connection refused · try 3 +│$/);
});

it('shows which tab it is on the smallest screen, however long the tab', () => {
  const model = shown('runs', 80, 24);
  for (const key of ['enter', '7']) model.view = onKey(model, key).view;
  feed(model, { actor: { context: Array.from({ length: 2_000 }, (_, i) => i) } });
  expect(picture(model)).toMatch(/^├ 1 Machine .* \[7 Raw\] ─+ 1–\d+\/2,004 ┤$/m);
});
