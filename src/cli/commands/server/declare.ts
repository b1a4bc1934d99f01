/** What has to do with the server of this machine: it, its configuration, its data. */

import { Command, Option } from 'commander';
import { declare, withOutput, withReason, type Lazy } from '../../define.js';
import type { ServeFlags } from '../../settings.js';

const flag = (flags: string, description: string, variable: string): Option =>
  new Option(flags, description).env(`AGENT_SERVER_${variable}`);

/** It has no session: it takes the signals itself, and goes on behind the end of the command. */
export function serveCommand(): Command {
  return (
    new Command('serve')
      .description('Runs the server until it is told to stop (SIGTERM, SIGINT)')
      .addOption(
        flag('--config <file>', 'configuration file (default: agent-server.config.*, else demo agents)', 'CONFIG'),
      )
      .addOption(flag('--data <dir>', 'directory of the data (default: ./data)', 'DATA'))
      .addOption(flag('--host <host>', 'address to listen on (default: 127.0.0.1)', 'HOST'))
      .addOption(flag('--port <port>', 'port to listen on, 0 for a free one (default: 8080)', 'PORT'))
      .addOption(
        flag('--log-level <level>', 'trace, debug, info, warn, error, fatal or silent (default: info)', 'LOG_LEVEL'),
      )
      .addOption(
        flag('--auth-token-file <file>', 'file of bearer tokens; every caller then needs one', 'AUTH_TOKEN_FILE'),
      )
      // Commander would read any value of the variable as "yes", also "false".
      .option('--insecure', 'serve other machines without tokens (env: AGENT_SERVER_INSECURE)')
      .action(async (flags: ServeFlags) => (await import('../../serve.js')).serve(flags))
  );
}

export function configCommand(lazy: Lazy): Command {
  const schema = new Command('schema')
    .description('Prints the JSON Schema of the configuration file')
    .action(lazy(() => import('../../config.js').then(({ printConfigSchema }) => printConfigSchema)));
  return new Command('config').description('About the configuration file').addCommand(schema);
}

export function doctorCommand(lazy: Lazy): Command {
  return withOutput(new Command('doctor'))
    .optionsGroup('Options:')
    .description('Checks a data directory while no server has it open; JSON; exit 1 when something is wrong')
    .addOption(flag('--data <dir>', 'directory of the data (default: ./data)', 'DATA'))
    .action(lazy(() => import('../../doctor.js').then(({ doctor }) => doctor)));
}

export function backupCommand(lazy: Lazy): Command {
  return declare(new Command('backup'), withReason)
    .description('A consistent copy of the data of a running server')
    .argument('<dir>', 'new directory below the backup_dir of the server')
    .action(lazy(() => import('./actions.js').then(({ backup }) => backup)));
}
