import { Command } from 'commander';
import { withOutput, type Lazy } from '../../define.js';

export function contextCommands(lazy: Lazy): Command {
  const set = withOutput(new Command('set'))
    .description('Names a server, and makes it the current one')
    .argument('<name>', 'its name here')
    .requiredOption('--server <url>', 'where it is')
    .option('--token <token>', "bearer token; '-' reads it from stdin, which keeps it out of the shell's history")
    .action(lazy(() => import('./actions.js').then(({ set }) => set)));
  const use = withOutput(new Command('use'))
    .description('Makes a named server the current one')
    .argument('<name>', 'its name')
    .action(lazy(() => import('./actions.js').then(({ use }) => use)));
  const show = withOutput(new Command('show'))
    .description('The named servers; tokens are not shown')
    .argument('[name]', 'this one alone')
    .action(lazy(() => import('./actions.js').then(({ show }) => show)));
  const remove = withOutput(new Command('remove'))
    .description('Forgets a server and its token')
    .argument('<name>', 'its name')
    .action(lazy(() => import('./actions.js').then(({ remove }) => remove)));
  return new Command('context')
    .description('Which servers there are, with their tokens (a file for you alone)')
    .addCommand(set)
    .addCommand(use)
    .addCommand(show)
    .addCommand(remove);
}
