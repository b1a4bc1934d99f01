import { describe, expect, test } from 'vitest';
import { ignored as __, refused as no, take, testTable, type Given } from '../../../test/support/machine-table.js';
import type { CallGate, CallPlan } from './logics.js';
import { MAY_HAVE_RUN, NEVER_RAN } from './tool-call.js';

const plan = (change: Partial<CallPlan> | CallGate = {}): CallPlan =>
  ({
    key: '0.0',
    id: 'c1',
    name: 'pay',
    arguments: {},
    effect: 'once',
    timeout_ms: 1000,
    expiry_ms: null,
    gate: 'open',
    ...change,
  }) as CallPlan;
const decision = (action: 'resume' | 'cancel', result: unknown = {}, reason?: string) => ({
  type: 'DECIDE',
  decision: { target_id: 'c1', decision_id: 'd1', action, result, updated_at: 0, ...(reason ? { reason } : {}) },
});
const suspension = (kind: string) => ({ id: 'fc_c1', tool_call_id: 'c1', name: 'pay', kind, message: '?' });
const relay = { run_id: 'child', target_id: 'c9', kind: 'approval' };
const relaying = (): Given => ({
  value: { suspended: 'relaying' },
  context: { plan: plan(), suspension: suspension('approval'), relay, answer: null, handoff: null },
});
const given = (value: Given['value'], kind: string | null = null, change: Partial<CallPlan> = {}): Given => ({
  value,
  context: { plan: plan(change), suspension: kind && suspension(kind), relay: null, answer: null, handoff: null },
  children: [],
});

const events = {
  GO: { type: 'GO' },
  resume: decision('resume', { approved: true }),
  deny: decision('cancel'),
  CANCEL: { type: 'CANCEL' },
  KILL: { type: 'KILL' },
  lost: { type: 'fx.lost' },
  succeeded: { type: 'xstate.done.actor.exec', output: { outcome: 'succeeded', result: 1 } },
  failed: { type: 'xstate.done.actor.exec', output: { outcome: 'failed', error: 'no' } },
  aborted: { type: 'xstate.done.actor.exec', output: { outcome: 'aborted' } },
  error: { type: 'xstate.error.actor.exec', error: { message: 'no' } },
  timeout: { type: 'xstate.done.actor.timeout', output: null },
  expiry: { type: 'xstate.done.actor.expiry', output: null },
  asks: { type: 'xstate.done.actor.exec', output: { outcome: 'suspended', message: 'which?' } },
  relays: { type: 'xstate.done.actor.exec', output: { outcome: 'relayed', relay, message: 'may it?' } },
  handedOff: { type: 'xstate.done.actor.exec', output: { outcome: 'handed_off', agent_id: 'b', result: null } },
  watched: { type: 'xstate.done.actor.watch', output: null },
};

describe('a once tool', () => {
  testTable({
    kind: 'tool_call',
    events,
    states: {
      new: given('new'),
      executing: given({ running: 'executing' }),
      stopping: given({ running: 'stopping' }),
      asking: given({ suspended: 'asking' }, 'approval'),
      relaying: relaying(),
      resuming: given('resuming', 'approval'),
      in_doubt: given('in_doubt', 'in_doubt'),
    },
    // prettier-ignore
    rows: {
      new:       { GO: 'running.executing', resume: __, deny: __, CANCEL: 'cancelled', KILL: 'cancelled', lost: __, succeeded: __, failed: __, aborted: __, error: no, expiry: __, timeout: __, asks: __, relays: __, handedOff: __, watched: __ },
      executing: { GO: __, resume: __, deny: __, CANCEL: 'running.stopping', KILL: 'cancelled', lost: 'in_doubt', succeeded: 'succeeded', failed: 'failed', aborted: 'failed', error: 'failed', expiry: __, timeout: 'in_doubt', asks: 'suspended.asking', relays: 'suspended.relaying', handedOff: 'succeeded', watched: __ },
      stopping:  { GO: __, resume: __, deny: __, CANCEL: __, KILL: 'cancelled', lost: 'cancelled', succeeded: 'succeeded', failed: 'failed', aborted: 'cancelled', error: 'cancelled', expiry: __, timeout: 'cancelled', asks: 'cancelled', relays: 'cancelled', handedOff: 'succeeded', watched: __ },
      asking:    { GO: __, resume: 'resuming', deny: 'failed', CANCEL: 'cancelled', KILL: 'cancelled', lost: __, succeeded: __, failed: __, aborted: __, error: no, expiry: 'failed', timeout: __, asks: __, relays: __, handedOff: __, watched: __ },
      relaying:  { GO: __, resume: 'resuming', deny: 'resuming', CANCEL: 'cancelled', KILL: 'cancelled', lost: 'suspended.relaying', succeeded: __, failed: __, aborted: __, error: no, expiry: 'running.executing', timeout: __, asks: __, relays: __, handedOff: __, watched: 'running.executing' },
      resuming:  { GO: 'running.executing', resume: __, deny: __, CANCEL: 'cancelled', KILL: 'cancelled', lost: __, succeeded: __, failed: __, aborted: __, error: no, expiry: __, timeout: __, asks: __, relays: __, handedOff: __, watched: __ },
      in_doubt:  { GO: __, resume: 'succeeded', deny: 'failed', CANCEL: 'cancelled', KILL: 'cancelled', lost: __, succeeded: __, failed: __, aborted: __, error: no, expiry: __, timeout: __, asks: __, relays: __, handedOff: __, watched: __ },
    },
  });
});

const closing = (g: Given, event: { type: string }) =>
  take('tool_call', g, event)
    .wants.flatMap((want) => (want.want === 'emit' ? [want.event] : []))
    .at(-1);

test('a call counts how often it was begun', () => {
  const attempts = (value: Given['value'], event: { type: string }, counted?: number) => {
    const { plan: planned, ...rest } = given(value, null, { effect: 'idempotent' }).context as { plan: CallPlan };
    const context = { plan: planned, ...rest, ...(counted === undefined ? {} : { attempts: counted }) };
    return (take('tool_call', { value, context }, event).context as { attempts?: number }).attempts;
  };
  expect(attempts('new', events.GO)).toBe(1);
  expect(attempts({ running: 'executing' }, events.lost, 1)).toBe(2);
  expect(attempts({ running: 'executing' }, events.CANCEL, 2)).toBe(2);
  expect(attempts('resuming', events.GO, 2)).toBe(3);
});

describe('what a call does with what it is told', () => {
  test.each([
    ['refused', { gate: 'refused', outcome: 'failed', error: 'unknown tool: x' }, 'failed'],
    ['approval', { gate: 'approval', message: 'may I?' }, 'suspended.asking'],
    ['frontend', { gate: 'frontend', message: 'by the client' }, 'suspended.asking'],
    ['in_doubt', { gate: 'in_doubt', message: 'did it arrive?' }, 'in_doubt'],
    ['open', { gate: 'open' }, 'running.executing'],
  ] as const)('a call whose gate is %s goes to its place', (_, gate, target) => {
    expect(
      take(
        'tool_call',
        { value: 'new', context: { plan: plan(gate), suspension: null, relay: null, answer: null, handoff: null } },
        events.GO,
      ).path,
    ).toBe(target);
  });

  test.each(['readOnly', 'idempotent'] as const)('a %s call that was lost or too slow is no question', (effect) => {
    const running = given({ running: 'executing' }, null, { effect });
    const again = take('tool_call', running, events.lost);
    expect(again.path).toBe('running.executing');
    expect(again.wants).toContainEqual(expect.objectContaining({ want: 'child', id: 'exec' }));
    expect(take('tool_call', running, events.timeout).path).toBe('failed');
    expect(closing(running, events.timeout)).toMatchObject({ outcome: 'failed', error: 'timed out after 1000 ms' });
  });

  test('an approval that says no is a denial, with the reason for the model', () => {
    const g = given({ suspended: 'asking' }, 'approval');
    expect(closing(g, decision('resume', { approved: false }, 'too much'))).toMatchObject({
      outcome: 'denied',
      error: 'too much',
    });
    expect(closing(g, decision('cancel'))).toMatchObject({ outcome: 'denied', error: 'denied by the user' });
  });

  test.each(['frontend', 'input'])('the result of a %s suspension is what the client sent', (kind) => {
    const sent = decision('resume', { color: 'red' });
    expect(take('tool_call', given({ suspended: 'asking' }, kind), sent).path).toBe('succeeded');
    expect(closing(given({ suspended: 'asking' }, kind), sent)).toMatchObject({
      outcome: 'succeeded',
      result: { color: 'red' },
    });
  });

  test('a call in doubt runs again only when a person says so', () => {
    const g = given('in_doubt', 'in_doubt');
    expect(take('tool_call', g, decision('resume', { retry: true })).path).toBe('resuming');
    expect(closing(g, decision('resume', { paid: true }))).toMatchObject({
      outcome: 'succeeded',
      result: { paid: true },
    });
    expect(closing(g, decision('cancel'))).toMatchObject({ outcome: 'failed' });
  });

  test('the model is told the truth about a call that was stopped', () => {
    expect(closing(given('new'), events.CANCEL)).toMatchObject({ outcome: 'cancelled', error: NEVER_RAN });
    expect(closing(given({ running: 'stopping' }), events.KILL)).toMatchObject({ error: MAY_HAVE_RUN });
    expect(closing(given('in_doubt', 'in_doubt'), events.CANCEL)).toMatchObject({ error: MAY_HAVE_RUN });
    expect(closing(given({ running: 'stopping' }, null, { effect: 'readOnly' }), events.KILL)).toMatchObject({
      error: 'cancelled while it was running',
    });
  });

  test.each([
    ['that has asked while it ran', given({ suspended: 'asking' }, 'input'), { attempts: 1 }],
    ['in doubt that was to be tried again', given('resuming', 'in_doubt'), { attempts: 1 }],
    [
      'in doubt from the start that was to be tried again',
      given('resuming', 'in_doubt', { gate: 'in_doubt' } as never),
    ],
  ] as [string, Given, object?][])(
    'the model is told that a call %s may have taken effect',
    (_, { value, context }, more) => {
      const begun = { value, context: { ...(context as object), ...more } };
      expect(closing(begun, events.CANCEL)).toMatchObject({ outcome: 'cancelled', error: MAY_HAVE_RUN });
    },
  );

  test('a question of a child that nobody answers in time is denied to the child, which has the last word', () => {
    const { wants } = take('tool_call', relaying(), events.expiry);
    expect(wants).toContainEqual(
      expect.objectContaining({
        id: 'exec',
        input: expect.objectContaining({
          child: 'child',
          answer: { relay, decision: expect.objectContaining({ target_id: 'c9', action: 'cancel' }) },
        }),
      }),
    );
  });
});
