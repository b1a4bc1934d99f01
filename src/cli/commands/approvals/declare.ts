import { Command } from 'commander';
import { declare, withFilter, withLimit, withWatch, type Lazy } from '../../define.js';

export function approvalCommands(lazy: Lazy): Command {
  const list = declare(new Command('list'), withFilter, withLimit, withWatch)
    .description('Tool calls that wait for a decision, the longest waiting first')
    .action(lazy(() => import('./actions.js').then(({ list }) => list)));
  return new Command('approvals').description('What waits for a person').addCommand(list);
}
