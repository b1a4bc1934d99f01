/**
 * What has to hold for the whole log of a run that is over, whatever happened to the server meanwhile (CONTRACT 1.5, 1.6,
 * 11 and QUALITY "Promises"). Pure: frames in, sentences about what is wrong out; none means the log is sound.
 */

import type { CanonicalEvent, EventType } from '../../src/actors/events.js';

export type Frame = { id: string; event: CanonicalEvent };

/** Takes one frame of a canonical stream apart. Throws when it is not made of one `id:` and one `data:` line. */
export function parseFrame(text: string): Frame {
  const [, id, data] = /^id: (\d+)\ndata: ([^\n]*)\n\n$/.exec(text) ?? [];
  if (id === undefined || data === undefined) throw new Error(`not a frame: ${JSON.stringify(text)}`);
  return { id, event: JSON.parse(data) as CanonicalEvent };
}

/** What the log says of one tool call. */
export type CallFacts = {
  id: string;
  name: string;
  outcome: 'succeeded' | 'failed' | 'denied' | 'cancelled' | null;
  /** It was in doubt at least once. */
  doubted: boolean;
  /** How often a person said that it did not happen and may be tried again. */
  retries: number;
  /** The outcome is what a person said it was. */
  told: boolean;
  /** Index of its `tool_call_done`. */
  done: number | null;
};

export type StepFacts = {
  /** Index of its `inference_complete`; null: it was cut off. */
  complete: number | null;
  /** `inference_retry` events. */
  retries: number;
};

export type LogFacts = {
  faults: string[];
  calls: Map<string, CallFacts>;
  steps: StepFacts[];
  /** Termination code; null without a `run_finish`. */
  code: string | null;
};

/** Where in a run an event stands. */
type Place = 'before' | 'asking' | 'answered' | 'between' | 'waiting' | 'over';

/** Places an event may come in, and the place after it (absent: unchanged). */
const ORDER: Partial<Record<EventType, { in: Place[]; to?: Place }>> = {
  run_start: { in: ['before'], to: 'between' },
  step_start: { in: ['between'], to: 'asking' },
  text_delta: { in: ['asking'] },
  tool_call_start: { in: ['asking'] },
  tool_call_delta: { in: ['asking'] },
  tool_call_ready: { in: ['asking'] },
  inference_retry: { in: ['asking'] },
  inference_complete: { in: ['asking'], to: 'answered' },
  step_end: { in: ['asking', 'answered'], to: 'between' },
  activity_snapshot: { in: ['between'] },
  tool_call_suspended: { in: ['between'] },
  tool_call_resumed: { in: ['between', 'waiting'] },
  tool_call_done: { in: ['between', 'waiting'] },
  run_waiting: { in: ['between'], to: 'waiting' },
  run_resumed: { in: ['waiting'], to: 'between' },
  run_finish: { in: ['between', 'waiting'], to: 'over' },
};

/** Reads the whole log of one run. */
export function factsOf(frames: readonly Frame[], run: { run_id: string; thread_id: string }): LogFacts {
  const faults: string[] = [];
  const calls = new Map<string, CallFacts>();
  const steps: StepFacts[] = [];
  /** Calls of the attempt under way, which a retry makes void. */
  let asked: { id: string; name: string }[] = [];
  let text = '';
  let place: Place = 'before';
  let code: string | null = null;
  let last = 0;

  const fault = (i: number, what: string): void => void faults.push(`event ${i}: ${what}`);
  const open = (): CallFacts[] => [...calls.values()].filter(({ outcome }) => outcome === null);

  for (const [i, { id, event }] of frames.entries()) {
    if (event.seq !== i) fault(i, `seq is ${event.seq}`);
    if (id !== String(event.seq)) fault(i, `its frame has the id ${id}`);
    if (event.run_id !== run.run_id || event.thread_id !== run.thread_id) fault(i, 'it belongs to another run');
    if (event.timestamp_ms < last) fault(i, 'its time lies before that of the event before it');
    last = event.timestamp_ms;

    const rule = ORDER[event.type];
    if (!rule) fault(i, `${event.type} was not expected at all`);
    else if (!rule.in.includes(place)) fault(i, `${event.type} cannot come here (${place})`);
    const step = steps.at(-1);

    switch (event.type) {
      case 'step_start':
        steps.push({ complete: null, retries: 0 });
        if (event.step !== steps.length - 1) fault(i, `step ${event.step} comes after step ${steps.length - 2}`);
        if (open().length > 0) fault(i, 'a step begins while calls of the step before it are open');
        asked = [];
        text = '';
        break;
      case 'text_delta':
        text += event.data.delta;
        break;
      case 'tool_call_ready':
        if (calls.has(event.data.id)) fault(i, `call ${event.data.id} was made before`);
        asked.push(event.data);
        break;
      case 'inference_retry':
        if (step) step.retries++;
        asked = [];
        text = '';
        break;
      case 'inference_complete':
        if (step) step.complete = i;
        for (const { id, name } of asked)
          calls.set(id, { id, name, outcome: null, doubted: false, retries: 0, told: false, done: null });
        break;
      case 'step_end':
        if (place === 'asking' && (event.data.finish_reason === 'stop' || event.data.finish_reason === 'tool-calls'))
          fault(i, 'the step ends well without an inference_complete');
        break;
      case 'tool_call_suspended': {
        const call = calls.get(event.data.id);
        if (!call || call.outcome !== null) fault(i, `call ${event.data.id} is not open`);
        else if (event.data.suspension.kind === 'in_doubt') call.doubted = true;
        break;
      }
      case 'tool_call_resumed': {
        const call = calls.get(event.data.target_id);
        const { action, result } = event.data;
        const retry = action === 'resume' && (result as { retry?: unknown } | null)?.retry === true;
        if (!call?.doubted) fault(i, `call ${event.data.target_id} was not in doubt`);
        else if (retry) call.retries++;
        else call.told = true;
        break;
      }
      case 'tool_call_done': {
        const call = calls.get(event.data.id);
        if (!call) fault(i, `call ${event.data.id} was never made`);
        else if (call.outcome !== null) fault(i, `call ${event.data.id} is done twice`);
        else Object.assign(call, { outcome: event.data.outcome, done: i });
        break;
      }
      case 'run_finish': {
        code = event.data.termination.code;
        if (i !== frames.length - 1) fault(i, 'something follows run_finish');
        for (const { id } of open()) fault(i, `call ${id} was left open`);
        if (code !== 'natural') break;
        if (event.data.result?.response !== text) fault(i, 'the response is not the text of the last step');
        if (steps.length === 0 || steps.some(({ complete }) => complete === null))
          fault(i, 'the run ended well with a step that has no inference_complete');
        break;
      }
    }
    place = rule?.to ?? place;
  }
  if (place !== 'over') fault(frames.length, `the log ends without run_finish (${place})`);
  return { faults, calls, steps, code };
}
