/** 7 Raw: the server's own account of it, as JSON; secrets are redacted there. */

import { segment, type Line, type Segment } from '../../rail/index.js';
import { actorSource } from './actor.js';
import { waitingFor, type Tab } from './tab.js';

export const raw: Tab = {
  name: 'raw',
  wants: (model, { target }) => [actorSource(model, target).want],
  view(model, { target }) {
    const actor = actorSource(model, target);
    const detail = actor.read(model);
    if (!detail) return waitingFor(actor.error(model));
    return { lines: JSON.stringify(detail, null, 2).split('\n').map(colored) };
  },
};

/** Keys and values of one line of JSON. */
function colored(line: string): Line {
  const [, indent = '', key, rest = ''] = /^(\s*)("(?:[^"\\]|\\.)*":)?(.*)$/.exec(line) ?? [];
  const parts: Segment[] = [segment(` ${indent}`)];
  if (key !== undefined) parts.push(segment(key, 'title'));
  parts.push(segment(rest, /^\s*"/.test(rest) ? 'good' : 'plain'));
  return parts;
}
