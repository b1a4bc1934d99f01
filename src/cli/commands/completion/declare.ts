import { Argument, Command } from 'commander';
import type { Lazy } from '../../define.js';

export function completionCommand(lazy: Lazy): Command {
  const command = new Command('completion')
    .description('Completion for a shell, to be evaluated by it')
    .addArgument(new Argument('<shell>', 'which').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', EXAMPLES);
  return command.action(lazy(() => import('./actions.js').then(({ completion }) => completion(command.parent!))));
}

const EXAMPLES = `
Examples:
  bash: source <(agent-server completion bash)
  zsh:  source <(agent-server completion zsh)
  fish: agent-server completion fish | source`;
