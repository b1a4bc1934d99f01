import { Command } from 'commander';
import { declare, readDuration, withFilter, type Lazy } from '../../define.js';

export function tailCommand(lazy: Lazy): Command {
  return declare(new Command('tail'), withFilter)
    .description('The events of all runs as they happen, each line with its run')
    .option('--since <time>', 'begin so long ago (10m, 2h, …; default: now)', readDuration('--since'))
    .option('--no-follow', 'with --since: leave when the past is told')
    .action(lazy(() => import('./actions.js').then(({ tail }) => tail)));
}
