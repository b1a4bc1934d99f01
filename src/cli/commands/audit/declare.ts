import { Command } from 'commander';
import { declare, withFilter, withLimit, withWatch, type Lazy } from '../../define.js';

export function auditCommands(lazy: Lazy): Command {
  const list = declare(new Command('list'), withFilter, withLimit, withWatch)
    .description('What operators did, newest first')
    .action(lazy(() => import('./actions.js').then(({ list }) => list)));
  return new Command('audit').description('Who did what, and why').addCommand(list);
}
