/** `agent-server config schema`: the configuration file's JSON Schema, for editors and checks. */

import { Command } from 'commander';
import { configJsonSchema } from '../agents/config-schema.js';

export function configCommand(): Command {
  const schema = new Command('schema')
    .description('Prints the JSON Schema of the configuration file')
    .action(() => void process.stdout.write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`));
  return new Command('config').description('About the configuration file').addCommand(schema);
}
