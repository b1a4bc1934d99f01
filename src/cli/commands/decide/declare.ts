import { Argument, Command } from 'commander';
import { declare, withReason, type Lazy } from '../../define.js';

export function decideCommand(lazy: Lazy): Command {
  return declare(new Command('decide'), withReason)
    .description('Decides a tool call that waits for a person')
    .argument('<run>', 'id of the run')
    .argument('<call>', 'id of the tool call')
    .addArgument(
      new Argument('<decision>', 'approve or deny an approval; answer everything else, or deny it').choices([
        'approve',
        'deny',
        'answer',
      ]),
    )
    .option('--result <json>', 'with answer: the call\'s result; for one in doubt {"retry":true} runs it again')
    .action(lazy(() => import('./actions.js').then(({ decide }) => decide)));
}
