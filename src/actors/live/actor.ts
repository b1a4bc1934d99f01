/**
 * What is kept in memory of a live actor, and how it looks to an operator.
 *
 * It is what lists filter and sort by and what a row of a list shows; contexts stay where they are, with the host or in
 * the store. Small on purpose: ten thousand open runs cost some megabytes, in memory or not.
 */

import { preview, redactText } from '../../redact.js';
import type { JsonValue } from '../../json.js';
import type { Suspension } from '../events.js';
import type { ActorItem, StateValue, Transition } from '../inspection.js';
import { machineOf } from '../machines/catalogue.js';
import { pathOf } from '../machines/definition.js';
import type { ActorKind } from '../machines/index.js';
import type { ToolCallContext } from '../machines/tool-call.js';

/** Transitions kept of one actor. */
const KEPT_TRANSITIONS = 50;

/** What is known of a tool call beside its state. */
export type Call = {
  id: string;
  tool: NonNullable<ActorItem['tool']>;
  /** What it asks, while it is suspended or in doubt. */
  asks: Pick<Suspension, 'kind' | 'message'> | null;
};

export type LiveActor = {
  readonly id: string;
  readonly kind: ActorKind;
  /** Its place in the thread's tree (`thread/apply.ts`). */
  readonly path: string;
  readonly run_id: string | null;
  readonly created_at: number;
  agent_id: string | null;
  parent_id: string | null;
  value: StateValue;
  /** `value` as a path. */
  state: string[];
  since: number;
  readonly call: Call | null;
  transitions: Transition[];
};

/** The live actors of one thread. */
export type Family = {
  readonly tno: number;
  readonly thread_id: string;
  queued: number;
  thread: LiveActor | null;
  run: LiveActor | null;
  /** By path, in the model's order. Most runs have none: then it is shared and must not be added to (`callsOf`). */
  calls: ReadonlyMap<string, LiveActor>;
};

export const threadActorId = (thread_id: string): string => `thread:${thread_id}`;
export const runActorId = (run_id: string): string => `run:${run_id}`;
export const callActorId = (run_id: string, call_id: string): string => `tool_call:${run_id}:${call_id}`;

const NO_CALLS: ReadonlyMap<string, LiveActor> = new Map();

export const newFamily = (tno: number, thread_id: string): Family => ({
  tno,
  thread_id,
  queued: 0,
  thread: null,
  run: null,
  calls: NO_CALLS,
});

/** The calls of a family, to be changed. */
export function callsOf(family: Family): Map<string, LiveActor> {
  if (family.calls === NO_CALLS) family.calls = new Map();
  return family.calls as Map<string, LiveActor>;
}

/** Every actor of a thread, outer ones first. */
export function* membersOf({ thread, run, calls }: Family): Generator<LiveActor> {
  if (thread) yield thread;
  if (run) yield run;
  yield* calls.values();
}

/** The face of a call, made once: its arguments never change. */
export const callOf = ({ plan }: ToolCallContext): Call => ({
  id: plan.id,
  tool: { name: plan.name, arguments: preview(plan.arguments), progress: null, message: null, attempts: 0 },
  asks: null,
});

/** Puts an actor into a state. */
export function enter(actor: LiveActor, value: StateValue, since: number, context: unknown): void {
  actor.value = value;
  actor.state = pathOf(value);
  actor.since = since;
  if (!actor.call) return;
  const { suspension, attempts = 0 } = context as ToolCallContext;
  actor.call.asks = asksOf(actor.state[0]!, suspension);
  actor.call.tool.attempts = attempts;
}

const asksOf = (state: string, suspension: Suspension | null): Call['asks'] =>
  suspension && (state === 'suspended' || state === 'in_doubt')
    ? { kind: suspension.kind, message: redactText(suspension.message) }
    : null;

/** Notes how an actor came where it is. */
export function note(actor: LiveActor, transition: Transition): void {
  actor.transitions.push(transition);
  if (actor.transitions.length > KEPT_TRANSITIONS) actor.transitions.shift();
}

/** What an operator sees of it now. */
export function itemOf(actor: LiveActor, { thread_id, queued, calls }: Family, memory: ActorItem['memory']): ActorItem {
  const isRun = actor.kind === 'run';
  return {
    id: actor.id,
    kind: actor.kind,
    machine: machineOf[actor.kind],
    value: actor.value,
    path: actor.state,
    since: actor.since,
    parent_id: actor.parent_id,
    thread_id,
    run_id: actor.run_id,
    agent_id: actor.agent_id,
    queued,
    memory,
    tool: isRun ? oldestTool(calls) : actor.call ? { ...actor.call.tool } : null,
    waiting_for: isRun ? questionsOf(calls) : null,
    created_at: actor.created_at,
  };
}

function oldestTool(calls: Family['calls']): ActorItem['tool'] {
  for (const { call } of calls.values()) return { ...call!.tool };
  return null;
}

function questionsOf(calls: Family['calls']): ActorItem['waiting_for'] {
  let found: ActorItem['waiting_for'] = null;
  for (const { call } of calls.values()) {
    if (!call?.asks) continue;
    if (found) found.tool_call_ids.push(call.id);
    else found = { ...call.asks, tool_call_ids: [call.id] };
  }
  return found;
}

/** Notes how far a call says it is; progress of calls that are not live goes nowhere. */
export function report({ calls }: Family, content: { [key: string]: JsonValue }): LiveActor | undefined {
  const node = content['node_id'];
  for (const actor of calls.values()) {
    const call = actor.call!;
    if (`tool_call:${call.id}` !== node) continue;
    call.tool.progress = typeof content['progress'] === 'number' ? content['progress'] : null;
    call.tool.message = typeof content['message'] === 'string' ? redactText(content['message']).slice(0, 500) : null;
    return actor;
  }
  return undefined;
}
