import { Argument, Command, Option } from 'commander';
import { declare, withWatch, type Lazy } from '../../define.js';

const machineNames = ['thread', 'run', 'tool-call', 'mailbox-entry'] as const;

export function machineCommand(lazy: Lazy): Command {
  return declare(new Command('machine'), withDrawing)
    .description('A machine of the server, as a drawing or as data')
    .addArgument(new Argument('<machine>', 'which').choices([...machineNames]))
    .option('--run <id>', "light the state this run, or this run's thread, is in")
    .option('--call <id>', 'with --run: light the state this tool call is in')
    .action(lazy(() => import('./actions.js').then(({ machine }) => machine)));
}

/** How machines are drawn. */
export const withDrawing = (command: Command): Command =>
  withWatch(
    command.addOption(
      new Option('--format <format>', 'rail: for terminals and logs; mermaid: for documents').choices([
        'rail',
        'mermaid',
        'json',
      ]),
    ),
  );
