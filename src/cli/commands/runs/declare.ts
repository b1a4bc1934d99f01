import { Command, Option } from 'commander';
import { declare, readCount, withConfirmation, withFilter, withLimit, withWatch, type Lazy } from '../../define.js';
import { withDrawing } from '../machine/declare.js';

export function runCommands(lazy: Lazy): Command {
  const list = declare(new Command('list'), withFilter, withLimit, withWatch)
    .description('Runs, newest first')
    .addOption(new Option('--order <order>', 'by age').choices(['asc', 'desc']).default('desc'))
    .action(lazy(() => import('./read.js').then(({ list }) => list)));
  const get = declare(run(new Command('get')), withWatch)
    .description('The record of a run')
    .action(lazy(() => import('./read.js').then(({ get }) => get)));
  const start = declare(new Command('start'), withStart)
    .description('Starts a run and follows it until it ends (0, 8) or waits for a person (9)')
    .argument('<agent>', 'id of the agent')
    .argument('[message...]', "what to say to it; '-' reads stdin; without: nothing new")
    .action(lazy(() => import('./start.js').then(({ start }) => start)));
  const watch = declare(run(new Command('watch')))
    .description('Follows a run from its first event to its end')
    .option('--exit-status', 'end as the run does: 0, 8 in error, 9 as soon as it waits for a person')
    .action(lazy(() => import('./start.js').then(({ watch }) => watch)));
  const events = declare(run(new Command('events')), withFilter, withLimit)
    .description('The stored events of a run')
    .option('--after <seq>', 'from behind this one', readCount('--after'))
    .option('-w, --watch', 'go on with those that come, until the run ends')
    .action(lazy(() => import('./events.js').then(({ events }) => events)));
  const cancel = declare(new Command('cancel'), withFilter, withConfirmation)
    .description('Cancels runs, whether they run, wait or are queued')
    .argument('[run...]', 'ids of runs; or -q to say which')
    .action(lazy(() => import('./cancel.js').then(({ cancel }) => cancel)));
  const machine = declare(run(new Command('machine')), withDrawing)
    .description("The run's machine, with the state it is in and how it got there")
    .action(lazy(() => import('../machine/actions.js').then(({ ofRun }) => ofRun)));
  return [list, get, start, watch, events, cancel, machine].reduce(
    (group, command) => group.addCommand(command),
    new Command('runs').description('Runs of agents'),
  );
}

const run = (command: Command): Command => command.argument('<run>', 'id of the run');

const withStart = (command: Command): Command =>
  command
    .option('--thread <id>', 'go on with this thread (default: a new one)')
    .addOption(
      new Option('--on-busy <what>', 'when the thread has an active run').choices([
        'interrupt',
        'enqueue',
        'reject',
        'rollback',
      ]),
    )
    .option('--run-id <id>', 'id of the new run (default: made by the server)')
    .option('--resource <id>', 'the resource the run belongs to')
    .option('--state <json>', 'object merged into the state of the thread')
    .option('--metadata <json>', 'object kept with the run')
    .option('-d, --detach', 'do not follow: print the record and leave');
