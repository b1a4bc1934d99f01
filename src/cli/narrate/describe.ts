/** Events of a run as a person reads them: one line each, or none for what only programs need. Pure. */

import type { JsonObject, RunEvent } from '../client/index.js';
import { segment, type Line, type Style } from '../rail/segments.js';
import { brief } from '../views/texts.js';

/** Texts that come in pieces. Not a line: they are joined to what came before. */
export const deltaOf = ({ type, data }: RunEvent): string | undefined =>
  type === 'text_delta' || type === 'reasoning_delta' ? (data.delta as string) : undefined;

/** Undefined for deltas, and for events that would tell a person nothing. */
export function describe({ type, data, run_id }: RunEvent, ascii: boolean): Line | undefined {
  const say = (style: Style, ...words: unknown[]): Line => [segment(words.filter(Boolean).map(brief).join(' '), style)];
  const mark = (unicode: string, plain: string): string => (ascii ? plain : unicode);
  switch (type) {
    case 'run_start':
      return say('dim', mark('▶', '>'), 'run', run_id, 'of', data.agent_id);
    case 'tool_call_ready':
      return say('enabled', mark('→', '->'), data.name, data.arguments);
    case 'tool_call_suspended':
      return say('attention', '?', data.id, `waits (${kindOf(data)}):`, questionOf(data));
    case 'tool_call_resumed':
      return say(
        'enabled',
        mark('↻', '@'),
        data.target_id,
        data.action === 'cancel' ? 'denied' : 'decided',
        data.reason,
      );
    case 'tool_call_done':
      return data.outcome === 'succeeded'
        ? say('enabled', mark('←', '<-'), data.name, data.result)
        : say('fault', mark('←', '<-'), data.name, data.outcome, data.error);
    case 'activity_snapshot':
      return progressOf(data.content as JsonObject, (percent, message) =>
        say('dim', mark('…', '..'), percent, message),
      );
    case 'inference_retry':
      return say('attention', '!', 'the text of this step is void, the model is asked again:', data.reason);
    case 'error':
      return say('fault', mark('✗', 'x'), data.message);
    case 'run_waiting':
      return say('attention', '?', 'the run waits for', countOf(data.pending), 'to be decided');
    case 'run_finish':
      return finish(data, say, mark);
    default:
      return undefined;
  }
}

function finish(data: JsonObject, say: (style: Style, ...words: unknown[]) => Line, mark: Mark): Line {
  const { code, detail } = data.termination as { code: string; detail: string | null };
  const { input_tokens, output_tokens } = data.usage as { input_tokens: number; output_tokens: number };
  const style = code === 'natural' ? 'good' : 'fault';
  return say(style, mark('■', '#'), code, detail && `(${detail})`, `${input_tokens}+${output_tokens} tokens`);
}

type Mark = (unicode: string, plain: string) => string;

const kindOf = ({ suspension }: JsonObject): string => (suspension as { kind: string }).kind;
const questionOf = ({ suspension }: JsonObject): string => (suspension as { message: string }).message;
const countOf = (pending: unknown): string => {
  const n = Array.isArray(pending) ? pending.length : 0;
  return `${n} ${n === 1 ? 'call' : 'calls'}`;
};

function progressOf(content: JsonObject, line: (percent: string, message: string) => Line): Line | undefined {
  if (typeof content.progress !== 'number') return undefined;
  return line(`${Math.round(content.progress * 100)} %`, typeof content.message === 'string' ? content.message : '');
}
