/**
 * The real executable in a process of its own, on a free port. The build must be there: `npm run build`.
 *
 * A server that a test has not stopped is killed when the test is over, by its pid.
 */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const EXECUTABLE = fileURLToPath(new URL('../../bin/agent-server', import.meta.url));

export type ServeOptions = {
  /** Data directory. */
  data: string;
  /** Further arguments of `serve`. */
  args?: string[];
  env?: Record<string, string>;
  /** Working directory; default: the data directory, where no configuration file is. */
  cwd?: string;
  /** Registers what ends the process; default: the end of the test. */
  atEnd?: (end: () => Promise<void>) => void;
};

/** How a process ended, and all it has said. */
export type Exit = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };

export type ServerProcess = {
  url: string;
  pid: number;
  /** All that was written to standard error until now. */
  stderr(): string;
  /** Sends a signal and waits for the end. */
  kill(signal?: NodeJS.Signals): Promise<Exit>;
  /** Graceful shutdown; throws when the exit code is not 0. */
  stop(): Promise<Exit>;
  exited: Promise<Exit>;
};

type Child = { child: ChildProcess; exited: Promise<Exit>; said: { stdout: string; stderr: string } };

function launch({ data, args = [], env = {}, cwd = data, atEnd = onTestFinished }: ServeOptions): Child {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('AGENT_SERVER_'));
  const child = spawn(process.execPath, [EXECUTABLE, 'serve', '--port', '0', '--data', data, ...args], {
    cwd,
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (bytes: Buffer) => void (said.stdout += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => void (said.stderr += bytes.toString()));
  const exited = once(child, 'close').then(([code, signal]) => ({ code, signal, ...said }));
  atEnd(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await exited;
  });
  return { child, exited, said };
}

/** A process that has been started and may not be ready yet. */
export type StartingServer = Omit<ServerProcess, 'url'> & {
  /** The URL from the ready line; undefined when the process ends before it. */
  ready: Promise<string | undefined>;
};

/** Starts a server without waiting for it: for tests that stop it before it is ready. */
export function launchServer(options: ServeOptions): StartingServer {
  const { child, exited, said } = launch(options);
  const kill = (signal: NodeJS.Signals = 'SIGKILL'): Promise<Exit> => {
    child.kill(signal);
    return exited;
  };
  return {
    pid: child.pid!,
    ready: Promise.race([readyUrl(child), exited.then(() => undefined)]),
    stderr: () => said.stderr,
    kill,
    exited,
    async stop() {
      const exit = await kill('SIGTERM');
      if (exit.code !== 0) throw new Error(`exit ${exit.code ?? exit.signal}: ${exit.stderr}`);
      return exit;
    },
  };
}

/** Starts a server and waits for its ready line. Throws with its words when it ends before that. */
export async function startServer(options: ServeOptions): Promise<ServerProcess> {
  const { ready, ...server } = launchServer(options);
  const url = await ready;
  if (url === undefined) throw new Error(`the server did not start: ${server.stderr()}`);
  return { url, ...server };
}

/** Runs a server that is expected to end by itself. */
export const runToExit = (options: ServeOptions): Promise<Exit> => launch(options).exited;

async function readyUrl(child: ChildProcess): Promise<string | undefined> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const url = /^agent-server listening on (http:\S+)$/.exec(line)?.[1];
    if (url) return url;
  }
  return undefined;
}
