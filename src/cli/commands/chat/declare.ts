import { Command } from 'commander';
import { declare, type Lazy } from '../../define.js';

export function chatCommand(lazy: Lazy): Command {
  return declare(new Command('chat'))
    .description('Talk to an agent; approvals are asked inline; ctrl-c cancels its run, once more leaves')
    .argument('<agent>', 'id of the agent')
    .option('--thread <id>', 'go on with this thread (default: a new one)')
    .action(lazy(() => import('./actions.js').then(({ chat }) => chat)));
}
