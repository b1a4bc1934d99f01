import { Command, Option } from 'commander';
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

export function threadCommands(lazy: Lazy): Command {
  const list = declare(new Command('list'), withFilter, withLimit, withWatch)
    .description('Threads, newest first')
    .addOption(order('desc'))
    .action(lazy(() => import('./read.js').then(({ list }) => list)));
  const get = declare(new Command('get'), withWatch)
    .description('One thread with its newest messages and its state')
    .argument('<thread>', 'id of the thread')
    .action(lazy(() => import('./read.js').then(({ get }) => get)));
  const messages = declare(new Command('messages'), withFilter, withLimit, withWatch)
    .description('The newest messages of a thread, the oldest of them first')
    .argument('<thread>', 'id of the thread')
    .option('--after <cursor>', 'from behind this one', readCount('--after'))
    .option('--before <cursor>', 'up to this one', readCount('--before'))
    .addOption(order('asc'))
    .addOption(new Option('--visibility <which>', 'for whom').choices(['all', 'internal', 'none']).default('all'))
    .action(lazy(() => import('./read.js').then(({ messages }) => messages)));
  const mailbox = declare(new Command('mailbox'), withFilter, withLimit, withWatch)
    .description('The mailbox of a thread')
    .argument('<thread>', 'id of the thread')
    .action(lazy(() => import('./read.js').then(({ mailbox }) => mailbox)));
  const interrupt = declare(new Command('interrupt'), withConfirmation)
    .description('Cancels the active run, supersedes what is queued')
    .argument('<thread...>', 'ids of threads')
    .action(lazy(() => import('./act.js').then(({ interrupt }) => interrupt)));
  const fork = declare(new Command('fork'), withReason)
    .description('A new thread with the messages up to one')
    .argument('<thread>', 'id of the thread')
    .option('--after <message>', 'id of the last message to take (default: all)')
    .option('--id <thread>', 'id of the new thread (default: made by the server)')
    .action(lazy(() => import('./act.js').then(({ fork }) => fork)));
  const remove = declare(new Command('delete'), withConfirmation)
    .description('Removes threads with all they have')
    .argument('<thread...>', 'ids of threads')
    .action(lazy(() => import('./act.js').then(({ remove }) => remove)));
  return [list, get, messages, mailbox, interrupt, fork, remove].reduce(
    (group, command) => group.addCommand(command),
    new Command('threads').description('Conversations'),
  );
}

const order = (byDefault: string): Option =>
  new Option('--order <order>', 'by age').choices(['asc', 'desc']).default(byDefault);
