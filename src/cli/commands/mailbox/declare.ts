import { Command } from 'commander';
import {
  declare,
  readCount,
  withConfirmation,
  withFilter,
  withLimit,
  withReason,
  withWatch,
  type Lazy,
} from '../../define.js';

export function mailboxCommands(lazy: Lazy): Command {
  const list = declare(new Command('list'), withFilter, withLimit, withWatch)
    .description('Entries of all threads, or of one')
    .option('--thread <id>', 'of this thread alone')
    .action(lazy(() => import('./actions.js').then(({ list }) => list)));
  const cancel = declare(entry(new Command('cancel')), withConfirmation)
    .description('Takes a queued entry out; its run ends cancelled')
    .action(lazy(() => import('./actions.js').then(({ cancel }) => cancel)));
  const retry = declare(entry(new Command('retry')), withReason)
    .description('Tries again what a dead letter asked for, as a new entry and run')
    .action(lazy(() => import('./actions.js').then(({ retry }) => retry)));
  const priority = declare(entry(new Command('priority')), withReason)
    .description('Moves a queued entry')
    .argument('<priority>', '0 (last) to 255 (first)', readCount('priority', 255))
    .action(lazy(() => import('./actions.js').then(({ priority }) => priority)));
  return new Command('mailbox')
    .description('What waits for its turn')
    .addCommand(list)
    .addCommand(cancel)
    .addCommand(retry)
    .addCommand(priority);
}

const entry = (command: Command): Command =>
  command.argument('<thread>', 'id of the thread').argument('<entry>', 'id of the entry');
