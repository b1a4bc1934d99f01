/**
 * What `serve` is told: each setting from its flag, else its environment variable, else the configuration file, else a
 * default (CONTRACT 10.3). A value that cannot be is a `ConfigError`, wherever it came from.
 */

import { ConfigError } from '../agents/config-error.js';
import type { ServerConfig } from '../agents/config.js';

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Flags and variables as commander hands them over: texts, or absent. */
export type ServeFlags = {
  config?: string;
  data?: string;
  host?: string;
  port?: string;
  logLevel?: string;
  authTokenFile?: string;
  insecure?: boolean | string;
};

export type ServeSettings = {
  data: string;
  host: string;
  port: number;
  auth_token_file: string | null;
  insecure: boolean;
};

/** `info` unless told otherwise. Throws `ConfigError`. */
export function readLogLevel(text: string | undefined): LogLevel {
  const level = logLevels.find((known) => known === (text ?? 'info'));
  if (!level) throw new ConfigError([`log level: expected one of ${logLevels.join(', ')}`]);
  return level;
}

/** Joins flags with the file's `server` section. */
export function readSettings(
  flags: ServeFlags,
  file: Pick<ServerConfig['server'], 'host' | 'port' | 'auth_token_file'>,
): ServeSettings {
  return {
    data: text('data directory', flags.data) ?? './data',
    host: text('host', flags.host) ?? file.host,
    port: flags.port === undefined ? file.port : readPort(flags.port),
    auth_token_file: text('auth token file', flags.authTokenFile) ?? file.auth_token_file,
    insecure: readFlag(flags.insecure),
  };
}

/** A set but blank variable is a mistake: a blank token file must never mean "no authentication". */
function text(name: string, value: string | undefined): string | undefined {
  if (value !== undefined && value.trim() === '') throw new ConfigError([`${name}: cannot be empty`]);
  return value?.trim();
}

function readPort(value: string): number {
  const port = /^\d{1,5}$/.test(value.trim()) ? Number(value) : NaN;
  if (!(port <= 65_535)) throw new ConfigError(['port: expected an integer from 0 to 65535']);
  return port;
}

function readFlag(value: boolean | string | undefined): boolean {
  if (value === undefined || typeof value === 'boolean') return value ?? false;
  if (/^(1|true|yes|on)$/i.test(value)) return true;
  if (/^(0|false|no|off|)$/i.test(value)) return false;
  throw new ConfigError(['insecure: expected true or false']);
}
