/** The boxes: the question before something changes, the keys, the commands. Pure. */

import { clip, pad, segment, widthOf, type Line, type Segment } from '../../rail/index.js';
import { wrapText } from '../format.js';
import { keysFor, type KeyGroup, type KeyRow } from '../keys.js';
import type { Mode, Model } from '../model/model.js';
import type { Plan } from '../model/plan.js';

type Confirm = Extract<Mode, { is: 'confirm' }>;

export function confirmLines({ plan, typed, reason, field }: Confirm, width: number): Line[] {
  const commands =
    plan.commands.length > 1 ? [plan.commands[0]!, `… and ${plan.commands.length - 1} more`] : plan.commands;
  return [
    [],
    ...plan.says.flatMap((text) => wrapText(text, width)).map((text): Line => [segment(text)]),
    [],
    [segment('reason  ', 'dim'), ...input(reason, field === 'reason', width - 10, 'none (tab to give one)')],
    [...prompt(plan), ...(plan.tier === 'key' ? [] : input(typed, field === 'typed', 20, ''))],
    [],
    ...commands.flatMap((command) => wrapText(command, width)).map((text): Line => [segment(text, 'dim')]),
  ];
}

/** What has to be done to agree; everything else leaves things as they are. */
function prompt({ tier, expects, changes }: Plan): Segment[] {
  const otherwise = segment('   esc leaves it as it is', 'dim');
  switch (tier) {
    case 'key':
      return [segment('y', 'key'), segment(' does it'), otherwise];
    case 'count':
      return [segment(`${changes} things change: type `), segment(expects, 'key'), segment(' and enter  ')];
    case 'id':
      return [segment("type the end of the run's id, "), segment(expects, 'key'), segment(', and enter  ')];
  }
}

/** A line that is typed, its end in sight. */
function input(text: string, isActive: boolean, width: number, placeholder: string): Segment[] {
  if (!isActive) return [segment(text === '' ? placeholder : clip(text, width), 'dim')];
  const shown = text.length >= width ? `…${text.slice(-(width - 2))}` : text;
  return [segment(shown, 'strong'), segment(' ', 'selected')];
}

const groups: readonly KeyGroup[] = ['Move', 'Look', 'Act', 'Tool'];

/** Every key there is, in two columns. */
export function helpLines({ setup }: Model): Line[] {
  const table = keysFor(setup.access);
  const [left, right] = [
    groups.slice(0, 2).flatMap((group) => groupLines(group, table)),
    groups.slice(2).flatMap((group) => groupLines(group, table)),
  ];
  return Array.from({ length: Math.max(left.length, right.length) }, (_, i) => {
    const [a = [], b = []] = [left[i], right[i]];
    return [...a, segment(' '.repeat(Math.max(1, 36 - widthOf(a)))), ...b];
  });
}

function groupLines(group: KeyGroup, table: readonly KeyRow[]): Line[] {
  const rows = table.filter((row) => row.group === group && !row.action.startsWith('tab_'));
  const tabs = group === 'Look' ? [keyLine('1–7', 'the tabs of what is open')] : [];
  return [[segment(group, 'title')], ...rows.map(({ shown, says }) => keyLine(shown, says)), ...tabs];
}

const keyLine = (shown: string, says: string): Line => [segment(pad(shown, 7), 'key'), segment(clip(says, 28))];
