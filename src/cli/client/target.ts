/**
 * Which server, and as whom: flag, else environment, else the current context of the context file, else this machine.
 *
 * Callers may rely on: the token of a context goes to the URL of that context and nowhere else. A `--server` that names
 * another one gets a token only from `--token` or the environment.
 */

import { usage } from './errors.js';
import { currentContext, readContexts } from './context-file.js';

export const DEFAULT_URL = 'http://127.0.0.1:8080';

export type Target = { url: string; token: string | null };

export type TargetOptions = {
  /** Values of the flags. */
  server?: string | undefined;
  token?: string | undefined;
  /** Name of a context, instead of the current one. */
  context?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
};

/** Throws a usage error for a URL or a token that cannot be, and for an unsafe or broken context file that is needed. */
export async function resolveTarget(options: TargetOptions): Promise<Target> {
  const { env } = options;
  const url = given('--server', options.server) ?? given('AGENT_SERVER_URL', env.AGENT_SERVER_URL);
  const token = given('--token', options.token) ?? given('AGENT_SERVER_TOKEN', env.AGENT_SERVER_TOKEN);
  const named = given('--context', options.context);
  if (url !== undefined && token !== undefined && named === undefined)
    return { url: baseUrl(url), token: header(token) };

  const context = currentContext(await readContexts(env), named);
  const target = baseUrl(url ?? context?.url ?? DEFAULT_URL);
  const kept = context !== undefined && baseUrl(context.url) === target ? context.token : null;
  const secret = token ?? kept;
  return { url: target, token: secret === null ? null : header(secret) };
}

/** A set but blank variable is a mistake, never "no token". */
function given(name: string, value: string | undefined): string | undefined {
  if (value !== undefined && value.trim() === '') throw usage(`${name}: cannot be empty`);
  return value?.trim();
}

/** Without a slash at the end. A path is kept: the server may stand behind a prefix. */
export function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw usage(`server: expected a URL such as ${DEFAULT_URL}, got ${JSON.stringify(text)}`);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

function header(token: string): string {
  if (!/^[\x21-\x7e]+$/.test(token)) throw usage('token: expected visible ASCII characters without spaces');
  return token;
}
