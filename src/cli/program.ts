/** The commands of the tool, as declared in `commands/`. */

import { createRequire } from 'node:module';
import { Command } from 'commander';
import type { ExitCode } from './client/exit-codes.js';
import { agentCommands } from './commands/agents/declare.js';
import { approvalCommands } from './commands/approvals/declare.js';
import { auditCommands } from './commands/audit/declare.js';
import { chatCommand } from './commands/chat/declare.js';
import { completionCommand } from './commands/completion/declare.js';
import { contextCommands } from './commands/context/declare.js';
import { decideCommand } from './commands/decide/declare.js';
import { machineCommand } from './commands/machine/declare.js';
import { mailboxCommands } from './commands/mailbox/declare.js';
import { runCommands } from './commands/runs/declare.js';
import { schemaCommand } from './commands/schema/declare.js';
import { backupCommand, configCommand, doctorCommand, serveCommand } from './commands/server/declare.js';
import { tailCommand } from './commands/tail/declare.js';
import { threadCommands } from './commands/threads/declare.js';
import { topCommand } from './commands/top/declare.js';
import { lazyIn } from './define.js';
import type { Io } from './session/io.js';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };

export type Invocation = {
  io: Io;
  argv: readonly string[];
  onEnd: (code: ExitCode) => void;
  /** What the parser says by itself (help, usage errors) is written in the background: these are to be waited for. */
  said: Promise<void>[];
};

export function createProgram({ io, argv, onEnd, said }: Invocation): Command {
  const lazy = lazyIn(io, argv, onEnd);
  const program = new Command('agent-server')
    .description('A durable server for agent runs, and the tool to operate it')
    .version(version)
    .showHelpAfterError('(use --help for the options)')
    .commandsGroup('The server:')
    .addCommand(serveCommand())
    .addCommand(configCommand(lazy))
    .addCommand(doctorCommand(lazy))
    .addCommand(backupCommand(lazy))
    .commandsGroup('Looking and acting:')
    .addCommand(topCommand(lazy))
    .addCommand(threadCommands(lazy))
    .addCommand(runCommands(lazy))
    .addCommand(decideCommand(lazy))
    .addCommand(approvalCommands(lazy))
    .addCommand(mailboxCommands(lazy))
    .addCommand(agentCommands(lazy))
    .addCommand(tailCommand(lazy))
    .addCommand(machineCommand(lazy))
    .addCommand(chatCommand(lazy))
    .addCommand(auditCommands(lazy))
    .commandsGroup('The tool:')
    .addCommand(contextCommands(lazy))
    .addCommand(schemaCommand(lazy))
    .addCommand(completionCommand(lazy));
  for (const command of everyCommand(program)) {
    command
      .exitOverride()
      .showSuggestionAfterError()
      .configureOutput({
        writeOut: (text) => void said.push(io.stdout.write(text)),
        writeErr: (text) => void said.push(io.stderr.write(text)),
        getOutHelpWidth: () => io.stdout.columns ?? 100,
        getErrHelpWidth: () => io.stderr.columns ?? 100,
      });
  }
  return program;
}

/** A command and all below it. */
function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}
