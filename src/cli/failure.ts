/** What the operator is told when a server cannot start, or a directory not be checked: one line, and whether trying again could help. */

import { ConfigError } from '../agents/config-error.js';
import { DirectoryUnusable, FormatError, StoreLocked, StoreMissing } from '../store/errors.js';

/** 2: this was asked for and cannot be, until something is changed. 1: a fault of the moment. */
export function exitCodeOf(error: unknown): 1 | 2 {
  return [ConfigError, StoreLocked, StoreMissing, DirectoryUnusable, FormatError].some((kind) => error instanceof kind)
    ? 2
    : 1;
}

/** One line, never a stack. All problems of a configuration are in it. */
export function lineOf(error: unknown): string {
  if (error instanceof ConfigError) return error.problems.join('; ');
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return `${message.replace(/^listen /, '')} (another process listens there)`;
  return (error instanceof Error ? message : String(error)).replace(/\s*\n\s*/g, ' ');
}
