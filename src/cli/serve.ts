/**
 * `agent-server serve`: reads its settings, opens the server, says so in one line, and ends gracefully when told to.
 *
 * Standard output carries the ready line alone; the log is JSON on standard error. What cannot work is one clear line on
 * standard error and exit 2; a fault of the machine (a port that is taken, a disk that refuses) is exit 1.
 */

import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { pino, type Logger } from 'pino';
import { ConfigError } from '../agents/config-error.js';
import { loadConfig, type LoadedConfig } from '../agents/config-file.js';
import { createServer } from '../create-server.js';
import type { PushOptions } from '../http/push/deliver.js';
import { discreet } from '../discreet-logger.js';
import { doorLimits } from '../http/limits.js';
import type { HttpServer } from '../http/server.js';
import { parseTokens, type Token } from '../http/tokens.js';
import { exitCodeOf, lineOf } from './failure.js';
import { readLogLevel, readSettings, type ServeFlags } from './settings.js';

/** Goes on when it has returned: the process ends by signals. */
export async function serve(flags: ServeFlags): Promise<void> {
  try {
    const log = pino({ level: readLogLevel(flags.logLevel) }, pino.destination({ fd: 2, sync: true }));
    const logger = discreet(log);
    const server = await open({ ...flags, insecure: flags.insecure ?? process.env.AGENT_SERVER_INSECURE }, logger);
    stopOnSignals(server, logger);
    process.on('uncaughtException', (error) => {
      logger.fatal({ err: error }, 'a fault nobody caught');
      process.exit(1);
    });
    const url = await server.listen();
    if (server.status !== 'ready') return; // A signal came while it was opening.
    logger.info({ url }, 'listening');
    // Whoever started us may have closed the other end: that is no reason to stop serving.
    process.stdout.on('error', () => {});
    process.stdout.write(`agent-server listening on ${url}\n`);
  } catch (error) {
    process.stderr.write(`agent-server: ${lineOf(error)}\n`);
    process.exit(exitCodeOf(error));
  }
}

async function open(flags: ServeFlags, logger: Logger): Promise<HttpServer> {
  const config = await loadConfig(flags.config === undefined ? {} : { path: flags.config });
  const settings = readSettings(flags, config.server);
  for (const warning of config.warnings) logger.warn(warning);
  return createServer({
    agents: config.agents,
    data: resolve(settings.data),
    durability: config.durability,
    limits: { ...config.limits, provider_limits: config.provider_limits },
    retention: config.retention,
    backup_dir: backupDir(config),
    push: pushOptions(config),
    host: settings.host,
    port: settings.port,
    insecure: settings.insecure,
    tokens: await readTokens(settings.auth_token_file, flags, config),
    cors_origins: config.server.cors_origins,
    body_limit: config.server.body_limit,
    shutdown_grace_ms: config.server.shutdown_grace_ms,
    ...doorLimits(config.server.limits),
    logger,
    onFatal: (error) => {
      logger.fatal({ err: error }, 'the store cannot be used any more');
      process.exit(1);
    },
  });
}

/** A notification that cannot be signed is not sent. */
const pushOptions = ({ server: { push } }: LoadedConfig): PushOptions => ({
  allow_private: push.allow_private,
  timeout_ms: push.timeout_ms,
  secret() {
    if (push.secret_env === null) return null;
    const secret = process.env[push.secret_env];
    if (!secret) throw new Error(`the environment variable ${push.secret_env} is not set`);
    return secret;
  },
});

/** A path in the configuration file counts from that file. */
const backupDir = ({ server: { backup_dir }, source }: LoadedConfig): string | null =>
  backup_dir === null ? null : resolve(source === null ? '.' : dirname(source), backup_dir);

/** A path in the configuration file counts from that file, one of a flag from the working directory. */
async function readTokens(path: string | null, flags: ServeFlags, { source }: LoadedConfig): Promise<Token[] | null> {
  if (path === null) return null;
  const base = flags.authTokenFile === undefined && source !== null ? dirname(source) : process.cwd();
  try {
    return parseTokens(await readFile(resolve(base, path), 'utf8'));
  } catch (cause) {
    throw new ConfigError([`auth token file: ${lineOf(cause)}`], { cause });
  }
}

/** The first signal stops gracefully, exit 0; another one ends the process at once. */
function stopOnSignals(server: HttpServer, logger: Logger): void {
  const stop = (signal: NodeJS.Signals): void => {
    process.off('SIGTERM', stop).off('SIGINT', stop);
    for (const again of ['SIGTERM', 'SIGINT'] as const) process.once(again, () => process.exit(1));
    logger.info({ signal }, 'stopping');
    server.close().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'could not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
}
