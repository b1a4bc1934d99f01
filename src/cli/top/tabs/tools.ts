/** 5 Tools: every call of the run: planned, started, asked about, done, failed, in doubt. */

import type { ActorItem, Client, LateOutcome, Message } from '../../client/index.js';
import { pad, padStart, segment, span, type Line, type Style } from '../../rail/index.js';
import { bar, inline, shortId } from '../format.js';
import { source, type Model, type Source } from '../model/model.js';
import { actorSource } from './actor.js';
import { messagesOf } from './messages.js';
import { saying, waitingFor, type Tab } from './tab.js';

export type LedgerRow = {
  id: string;
  name: string;
  /** How often it was begun, while it is open. */
  attempts: number;
  state: 'planned' | 'started' | 'stopping' | 'asks' | 'waits for a child' | 'in doubt' | 'answered' | 'ended';
  since: number;
  given: string;
  /** What it came to, or how far it is. */
  result: string;
};

const stateNames: readonly (readonly [string, LedgerRow['state']])[] = [
  ['new', 'planned'],
  ['running.stopping', 'stopping'],
  ['running', 'started'],
  ['suspended.relaying', 'waits for a child'],
  ['suspended', 'asks'],
  ['resuming', 'answered'],
  ['in_doubt', 'in doubt'],
];

const stateOf = ({ path }: ActorItem): LedgerRow['state'] => {
  const state = path.join('.');
  return stateNames.find(([start]) => state === start || state.startsWith(`${start}.`))?.[1] ?? 'ended';
};

/** Calls the messages tell of, in the model's order, in the state of their live actors. Pure. */
export function ledgerOf(
  messages: readonly Message[],
  live: readonly ActorItem[],
  run_id: string,
  late: readonly LateOutcome[] = [],
): LedgerRow[] {
  const rows = new Map<string, LedgerRow>();
  for (const { tool_calls = [], created_at, ...message } of messages.filter((item) => item.run_id === run_id)) {
    for (const call of tool_calls)
      rows.set(call.id, {
        id: call.id,
        name: call.name,
        attempts: 0,
        state: 'planned',
        since: created_at,
        given: inline(call.arguments),
        result: '',
      });
    const row = message.tool_call_id === undefined ? undefined : rows.get(message.tool_call_id);
    if (row) rows.set(row.id, { ...row, state: 'ended', attempts: 0, since: created_at, result: message.content });
  }
  for (const call of live) {
    const id = call.id.slice(`tool_call:${run_id}:`.length);
    const known = rows.get(id);
    if (known?.state === 'ended') continue;
    const { name = known?.name ?? '', message = null, progress = null, attempts = 0 } = call.tool ?? {};
    const far = progress === null ? '' : `${Math.round(progress * 100)}% ${bar(progress, 10).trimEnd()} `;
    rows.set(id, {
      id,
      name,
      attempts,
      state: stateOf(call),
      since: call.since,
      given: known?.given ?? inline(call.tool?.arguments ?? null),
      result: `${far}${message ?? ''}`,
    });
  }
  for (const { tool_call_id, outcome, result, error } of late) {
    const row = rows.get(tool_call_id);
    const came = `${outcome} ${error ?? inline(result)}`;
    if (row) rows.set(row.id, { ...row, result: `${row.result}${row.result === '' ? '' : ' '}(too late: ${came})` });
  }
  return [...rows.values()];
}

const styles: Readonly<Record<LedgerRow['state'], Style>> = {
  planned: 'dim',
  started: 'active',
  stopping: 'last',
  asks: 'attention',
  'waits for a child': 'attention',
  'in doubt': 'fault',
  answered: 'enabled',
  ended: 'plain',
};

/** The feed tells of calls that move; those that stood still when it began are asked for. */
function openCalls(model: Model, run_id: string): Source<ActorItem[]> {
  const run = model.fleet.runs.get(run_id);
  const load = async (client: Client): Promise<ActorItem[]> =>
    (await client.page<ActorItem>('/v1/actors', { kind: 'tool_call', run_id, limit: 200 })).items;
  return source(`calls ${run_id}`, load, 2_000, run ? `${run.since} ${run.path.join('.')}` : 'gone');
}

const hasEnded = ({ path }: ActorItem): boolean => /^(succeeded|failed|cancelled)$/.test(path[0] ?? '');

export const tools: Tab = {
  name: 'tools',
  wants: (model, { target: { run_id, thread_id } }) =>
    run_id === null
      ? []
      : [
          messagesOf(model, thread_id, run_id).want,
          openCalls(model, run_id).want,
          actorSource(model, { run_id, thread_id }).want,
        ],
  view(model, { target: { run_id, thread_id } }) {
    if (run_id === null) return saying('no run is active on this thread');
    const said = messagesOf(model, thread_id, run_id);
    const messages = said.read(model);
    if (!messages) return waitingFor(said.error(model));
    const asked = openCalls(model, run_id).read(model) ?? [];
    const told = model.fleet.callsOf(run_id);
    const live = [...asked.filter(({ id }) => !told.some((call) => call.id === id)), ...told].filter(
      (call) => !hasEnded(call),
    );
    const late = actorSource(model, { run_id, thread_id }).read(model)?.late_outcomes;
    const rows = ledgerOf(messages, live, run_id, late);
    if (rows.length === 0) return saying('this run has called no tool');
    const head = `   ${pad('CALL', 10)}${pad('TOOL', 18)}${pad('STATE', 18)}${padStart('AGE', 6)}  ARGUMENTS → RESULT`;
    return {
      head: [segment(head, 'dim')],
      lines: rows.map((row) => lineOf(row, model.now)),
      ids: rows.map(({ id }) => id),
    };
  },
};

const lineOf = ({ id, name, state, attempts, since, given, result }: LedgerRow, now: number): Line => [
  segment(pad(shortId(id), 10), 'id'),
  segment(pad(name, 18), 'strong'),
  segment(pad(attempts > 1 ? `${state} ×${attempts}` : state, 18), styles[state]),
  segment(`${padStart(span(now - since), 6)}  `, 'dim'),
  segment(given),
  segment(result === '' ? '' : ` → ${result}`, 'dim'),
];
