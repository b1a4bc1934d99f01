import { Command } from 'commander';
import { declare, type Lazy } from '../../define.js';

export function topCommand(lazy: Lazy): Command {
  return declare(new Command('top'))
    .description('The full screen: every run live, with its machine')
    .option('--readonly', 'look, change nothing')
    .action(lazy(() => import('./actions.js').then(({ top }) => top)));
}
