import { Command } from 'commander';
import type { Lazy } from '../../define.js';

export function schemaCommand(lazy: Lazy): Command {
  return new Command('schema')
    .description("The JSON Schema of what a command prints with '-o json'")
    .argument('[kind]', 'the kind an envelope names; without: the kinds there are')
    .action(lazy(() => import('./actions.js').then(({ schema }) => schema)));
}
