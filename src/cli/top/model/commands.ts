/** `o`: the commands that show what the screen shows, to be copied into a script or a message to a colleague. Pure. */

import { toCommandLine } from '../../session/command-line.js';
import type { Model, Open, ScreenName } from './model.js';

export function commandsFor(model: Model): string[] {
  const { open, screen } = model.view;
  const words = open ? openWords(open) : listWords(screen, model.view.lists[screen].filter);
  return words.map((line) => toCommandLine([...line, ...model.setup.where]));
}

function listWords(screen: ScreenName, filter: string): string[][] {
  const only = filter === '' ? [] : ['-q', filter];
  switch (screen) {
    case 'runs':
      return [['runs', 'list', '-q', filter === '' ? 'status=running,waiting' : filter, '--watch']];
    case 'threads':
      return [['threads', 'list', ...only, '--watch']];
    case 'approvals':
      return [['approvals', 'list', ...only, '--watch']];
    case 'dead':
      return [['mailbox', 'list', '-q', 'status=dead_letter', '--watch']];
    case 'agents':
      return [['agents', 'list', ...only]];
    case 'events':
    case 'pulse':
      return [['tail', ...only]];
  }
}

function openWords({ target: { run_id, thread_id }, tab }: Open): string[][] {
  if (tab === 'mailbox') return [['threads', 'mailbox', thread_id, '--watch']];
  if (tab === 'messages') return [['threads', 'messages', thread_id, '--watch']];
  if (run_id === null) return [['threads', 'get', thread_id]];
  switch (tab) {
    case 'machine':
      return [
        ['runs', 'machine', run_id, '--watch'],
        ['machine', 'run', '--run', run_id, '--format', 'mermaid'],
      ];
    case 'events':
      return [['runs', 'events', run_id, '--watch']];
    case 'tree':
      return [['runs', 'list', '-q', `parent=${run_id}`]];
    default:
      return [['runs', 'get', run_id, '-o', 'json']];
  }
}
