import { Command } from 'commander';
import { declare, withFilter, withLimit, withWatch, type Lazy } from '../../define.js';

export function agentCommands(lazy: Lazy): Command {
  const list = declare(new Command('list'), withFilter, withLimit, withWatch)
    .description('The agents of the server')
    .action(lazy(() => import('./actions.js').then(({ list }) => list)));
  const get = declare(new Command('get'), withWatch)
    .description('One agent with its tools')
    .argument('<agent>', 'id of the agent')
    .action(lazy(() => import('./actions.js').then(({ get }) => get)));
  return new Command('agents').description('What can be run').addCommand(list).addCommand(get);
}
