/** `agent-server`: the one executable. Exit codes: 0 done, 1 a fault at run time, 2 it was asked for what cannot be. */

import { createRequire } from 'node:module';
import { Command } from 'commander';
import { configCommand } from './config.js';
import { serveCommand } from './serve.js';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };

const program = new Command('agent-server')
  .description('A durable server for agent runs')
  .version(version)
  .configureHelp({ showGlobalOptions: true })
  .showHelpAfterError('(use --help for the options)')
  .addCommand(serveCommand())
  .addCommand(configCommand());

for (const command of [program, ...program.commands]) {
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
}

await program.parseAsync();
