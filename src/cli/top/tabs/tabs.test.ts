/** The tabs of what is open: what they show of a long log, of calls, of a family of runs. */

import { describe, expect, it } from 'vitest';
import fc from '../../../../test/support/property.js';
import { actor, fakeClient, feed, modelOf, NOW, page } from '../../../../test/support/top-model.js';
import type { ActorItem, Message, RunEvent, RunRecord } from '../../client/index.js';
import { toPlain } from '../../rail/index.js';
import type { Open, TabName } from '../model/model.js';
import { findLength } from './events.js';
import { tabOf } from './index.js';
import { ledgerOf } from './tools.js';
import { loadTree } from './tree.js';

const event = (seq: number): RunEvent => ({
  type: 'text_delta',
  run_id: 'r',
  thread_id: 't',
  seq,
  timestamp_ms: NOW,
  step: 0,
  data: { delta: `word ${seq}` },
});

describe('the length of a log', () => {
  const log = (length: number) => {
    let asked = 0;
    const events = async (_: string, { after = -1, limit = 50 }: { after?: number; limit?: number }) => {
      asked++;
      const items = Array.from({ length: Math.max(0, Math.min(limit, length - after - 1)) }, (_, i) =>
        event(after + 1 + i),
      );
      return { items, has_more: after + 1 + limit < length, next_after: null };
    };
    return { client: fakeClient({ events: events }), asked: () => asked };
  };

  it('is found however long it is, from whatever is known of it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 20_000 }), fc.double({ min: 0, max: 1, noNaN: true }), async (length, known) => {
        expect(await findLength(log(length).client, 'r', Math.floor(length * known))).toBe(length);
      }),
      { numRuns: 300 },
    );
  });

  it('takes few questions, and one when nothing is new', async () => {
    const long = log(100_000);
    expect(await findLength(long.client, 'r')).toBe(100_000);
    expect(long.asked()).toBeLessThan(60);
    const before = long.asked();
    await findLength(long.client, 'r', 100_000);
    expect(long.asked() - before).toBe(1);
  });
});

const message = (change: Partial<Message>): Message => ({
  cursor: 0,
  id: 'm',
  role: 'assistant',
  content: '',
  run_id: 'r',
  step: 0,
  created_at: NOW,
  ...change,
});
const live = (id: string, path: string[]): ActorItem => ({
  ...actor({ run_id: 'r' }),
  id: `tool_call:r:${id}`,
  kind: 'tool_call',
  path,
  tool: { name: 'pay', arguments: { eur: 1 }, progress: 0.5, message: 'half' },
});

describe('the ledger', () => {
  it('has every call once, in the state of its actor, else in that of its answer', () => {
    const calls = ['a', 'b', 'c'].map((id) => ({ id, name: 'pay', arguments: { eur: 1 } }));
    const said = [
      message({ tool_calls: calls }),
      message({ role: 'tool', tool_call_id: 'a', content: 'paid' }),
      message({ run_id: 'other', tool_calls: [{ id: 'z', name: 'z', arguments: {} }] }),
    ];
    const rows = ledgerOf(
      said,
      [live('b', ['in_doubt']), live('d', ['running', 'executing']), live('a', ['running', 'executing'])],
      'r',
    );
    expect(rows.map(({ id, state, result }) => [id, state, result])).toEqual([
      ['a', 'ended', 'paid'],
      ['b', 'in doubt', '50% █████ half'],
      ['c', 'planned', ''],
      ['d', 'started', '50% █████ half'],
    ]);
  });

  it('has what a call came to when that was too late', () => {
    const said = [
      message({ tool_calls: [{ id: 'a', name: 'pay', arguments: {} }] }),
      message({ role: 'tool', tool_call_id: 'a', content: 'it may have taken effect' }),
    ];
    const late = { at: NOW, tool_call_id: 'a', name: 'pay', outcome: 'succeeded', result: { paid: 100 }, error: null };
    expect(ledgerOf(said, [], 'r', [late])).toMatchObject([
      { state: 'ended', result: 'it may have taken effect (too late: succeeded {"paid":100})' },
    ]);
  });
});

describe('the tree', () => {
  const record = (run_id: string, parent_run_id: string | null): RunRecord => ({ run_id, parent_run_id }) as RunRecord;
  const family = [
    record('top', null),
    record('self', 'top'),
    record('kid', 'self'),
    record('grandkid', 'kid'),
    record('kid2', 'self'),
  ];

  it('leads from the first ancestor to the last descendant', async () => {
    const client = fakeClient({
      run: async (id) => family.find(({ run_id }) => run_id === id)!,
      page: (async (_: string, { parent_run_id }: { parent_run_id: string }) =>
        page(family.filter((item) => item.parent_run_id === parent_run_id))) as never,
    });
    const rows = await loadTree(client, 'self');
    expect(rows.map(({ record, lead }) => lead + record.run_id)).toEqual([
      'top',
      '└─ self',
      '   ├─ kid',
      '   │  └─ grandkid',
      '   └─ kid2',
    ]);
  });

  it('begins with the run when its parent is gone', async () => {
    const client = fakeClient({
      run: async (id) => (id === 'self' ? family[1]! : Promise.reject(new Error('gone'))),
      page: (async () => page([])) as never,
    });
    expect((await loadTree(client, 'self')).map(({ record }) => record.run_id)).toEqual(['self']);
  });
});

describe('a tab', () => {
  const openAt = (tab: TabName): Open => ({
    target: { run_id: 'r', thread_id: 't' },
    tab,
    cursor: { id: null, index: 0 },
    filter: '',
    focus: 'details',
  });
  const area = { width: 100, height: 20 };

  it('says what went wrong with its answer', () => {
    for (const tab of ['mailbox', 'messages', 'raw', 'tree', 'events', 'machine'] as const) {
      const model = modelOf([actor({ run_id: 'r', thread_id: 't' })]);
      const open = openAt(tab);
      for (const { key, stamp } of tabOf(open).wants(model, open))
        model.resources.end(key, stamp, NOW, { error: 'run not found: r' });
      expect(tabOf(open).view(model, open, area).lines.map(toPlain)).toEqual(['  run not found: r']);
    }
  });

  it('of messages wraps what was said to the width', () => {
    const model = modelOf([actor({ run_id: 'r', thread_id: 't' })]);
    model.view = { ...model.view, open: openAt('messages') };
    const content = 'It is a long answer. '.repeat(20);
    feed(model, { messages: [message({ content, tool_calls: [{ id: 'c1', name: 'pay', arguments: { eur: 1 } }] })] });
    const lines = tabOf(model.view.open!).view(model, model.view.open!, area).lines.map(toPlain);
    expect(lines.every((line) => line.length <= area.width)).toBe(true);
    expect(
      lines
        .slice(1, -1)
        .map((line) => line.trim())
        .join(' '),
    ).toBe(content.trim());
    expect(lines.at(-1)).toContain('→ pay {"eur":1}');
  });

  it('of tools says how often a call was begun, when that was more than once', () => {
    const model = modelOf([actor({ run_id: 'r', thread_id: 't' })]);
    const open = openAt('tools');
    model.view = { ...model.view, open };
    const calls = [1, 2].map((attempts) => {
      const call = live(`call-${attempts}`, ['running', 'executing']);
      return { ...call, tool: { ...call.tool!, attempts } };
    });
    feed(model, { messages: [], calls });
    const lines = tabOf(open).view(model, open, area).lines.map(toPlain);
    expect(lines.map((line) => /started( ×\d)?/.exec(line)?.[0])).toEqual(['started', 'started ×2']);
  });

  it('of events fetches no more than what is around the cursor', () => {
    const model = modelOf([actor({ run_id: 'r', thread_id: 't' })]);
    const open = openAt('events');
    model.view = { ...model.view, open, toggles: new Set() };
    feed(model, { 'events r length': 100_000 });
    expect(
      tabOf(open)
        .wants(model, open)
        .map(({ key }) => key),
    ).toEqual(['events r length', 'events r 0', 'events r 1']);
    const far = { ...open, cursor: { id: null, index: 50_000 } };
    expect(
      tabOf(far)
        .wants(model, far)
        .map(({ key }) => key),
    ).toEqual(['events r length', 'events r 249', 'events r 250', 'events r 251']);
  });
});
