/**
 * The context file: the servers a person works with, by name, each with its token.
 *
 * It is written with mode 0600 in one step (a reader never sees half of it), and refused when it holds a token that
 * other users of the machine can read: a secret that leaked is better noticed than used.
 */

import { chmod, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeDirectory } from '../../make-directory.js';
import { notFound, usage } from './errors.js';

export type Context = { url: string; token: string | null };
export type ContextFile = { v: 1; current: string | null; contexts: Record<string, Context> };

type Env = Readonly<Record<string, string | undefined>>;

/** `AGENT_SERVER_CONTEXT_FILE`, else `agent-server/context.json` where configurations go. */
export function contextPath(env: Env): string {
  if (env.AGENT_SERVER_CONTEXT_FILE) return env.AGENT_SERVER_CONTEXT_FILE;
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'agent-server', 'context.json');
}

/** Empty when there is no file. Throws a usage error for one that is broken or readable by others. */
export async function readContexts(env: Env): Promise<ContextFile> {
  const path = contextPath(env);
  let text: string;
  let mode: number;
  try {
    [text, { mode }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { v: 1, current: null, contexts: {} };
    throw usage(`context file ${path}: ${(error as Error).message}`);
  }
  const file = parse(text, path);
  const secret = Object.values(file.contexts).some(({ token }) => token !== null);
  if (secret && process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw usage(`context file ${path}: other users can read its tokens`, `chmod 600 ${path}`);
  }
  return file;
}

export async function writeContexts(env: Env, file: ContextFile): Promise<string> {
  const path = contextPath(env);
  const next = `${path}.${crypto.randomUUID()}`;
  await makeDirectory(dirname(path));
  await writeFile(next, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  await chmod(next, 0o600);
  await rename(next, path);
  return path;
}

/** The named context, else the current one, if any. */
export function currentContext({ current, contexts }: ContextFile, name?: string): Context | undefined {
  const wanted = name ?? current;
  const found = wanted === null || !Object.hasOwn(contexts, wanted) ? undefined : contexts[wanted];
  if (!found && name !== undefined) throw notFound(`context not found: ${name}`);
  return found;
}

function parse(text: string, path: string): ContextFile {
  try {
    const file = JSON.parse(text) as ContextFile | null;
    if (file?.v !== 1 || !Object.values(file.contexts ?? [null]).every(isContext))
      throw new TypeError('not a context file');
    return file;
  } catch (error) {
    throw usage(`context file ${path}: ${(error as Error).message}`);
  }
}

const isContext = (value: unknown): value is Context => {
  const { url, token } = (value ?? {}) as Partial<Context>;
  return typeof url === 'string' && (token === null || typeof token === 'string');
};
