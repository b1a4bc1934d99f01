/** The last row: what is being typed, what has just happened, or else the keys that matter here. Pure. */

import { clip, segment, widthOf, type Line, type Segment } from '../../rail/index.js';
import { keysFor, type KeyAction } from '../keys.js';
import type { Mode, Model, ScreenName } from '../model/model.js';
import { rule } from './frame.js';

const hints: Readonly<Record<ScreenName, readonly KeyAction[]>> = {
  runs: ['open', 'approve', 'deny', 'cancel', 'interrupt', 'message', 'filter', 'faults'],
  threads: ['open', 'interrupt', 'filter', 'wide'],
  approvals: ['approve', 'deny', 'mark', 'mark_all', 'open', 'filter'],
  dead: ['retry', 'mark', 'mark_all', 'open'],
  agents: ['open', 'filter'],
  events: ['open', 'follow', 'filter'],
  pulse: [],
};

const hintsOpen: readonly KeyAction[] = [
  'approve',
  'deny',
  'cancel',
  'interrupt',
  'message',
  'next_tab',
  'back',
  'wide',
];

/** The words of a hint, shorter than those of the help. */
const words: Readonly<Partial<Record<KeyAction, string>>> = {
  cancel: 'cancel',
  approve: 'approve',
  interrupt: 'interrupt',
  retry: 'retry',
  message: 'message',
  goto: 'go to',
  faults: 'faults',
  wide: 'wide',
  follow: 'follow',
  back: 'back',
  mark_all: 'all',
  next_tab: 'tabs',
};

export function drawFooter(model: Model): Line {
  const { columns } = model.view.size;
  return rule('bottom', footerLine(model, columns - 6), [], columns);
}

function footerLine(model: Model, width: number): Line {
  const { mode, notice } = model.view;
  if (mode.is === 'filter' || mode.is === 'goto' || mode.is === 'compose') return typed(mode, width);
  if (notice && notice.until > model.now)
    return [segment(clip(notice.text, width), notice.tone === 'plain' ? 'strong' : notice.tone)];
  return hintLine(model, width);
}

const labels: Readonly<Record<'filter' | 'goto', string>> = { filter: '/', goto: ':' };

function typed(mode: Extract<Mode, { is: 'filter' | 'goto' | 'compose' }>, width: number): Segment[] {
  const label = mode.is === 'compose' ? composeLabel(mode) : labels[mode.is];
  const error = mode.error === null ? '' : `  ${mode.error}`;
  const room = Math.max(10, width - label.length - error.length - 2);
  const shown = mode.text.length > room ? `…${mode.text.slice(1 - room)}` : mode.text;
  return [segment(label, 'key'), segment(shown, 'strong'), segment(' ', 'selected'), segment(error, 'fault')];
}

const composeLabel = ({ what }: Extract<Mode, { is: 'compose' }>): string =>
  what.kind === 'message' ? `message to ${what.agent_id}: ` : `${clip(what.asks, 40)} = `;

/** As many as there is room for; the last two are always there. */
function hintLine(model: Model, width: number): Line {
  const { open, screen } = model.view;
  const hint = (action: KeyAction): Segment[] => {
    const row = keysFor(model.setup.access).find((known) => known.action === action);
    return row ? [segment(row.shown, 'key'), segment(` ${words[row.action] ?? row.says}  `, 'dim')] : [];
  };
  const always = [...hint('help'), ...hint('quit')];
  const shown: Segment[] = [];
  for (const action of [...(open ? hintsOpen : hints[screen]), 'goto'] as const) {
    const next = hint(action);
    if (widthOf([...shown, ...next, ...always]) - 2 <= width) shown.push(...next);
  }
  return [...shown, ...always.slice(0, -1), segment(always.at(-1)!.text.trimEnd(), 'dim')];
}
