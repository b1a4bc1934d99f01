/** The tool in this process, in a world made for a test; and as a process of its own. */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, onTestFinished } from 'vitest';
import { main } from '../../src/cli/cli.js';
import type { Sink } from '../../src/cli/session/io.js';
import { demoAgents } from '../../src/agents/demo.js';
import { jsonSchemas, recordSchemas } from '../../src/cli/schemas/index.js';
import { openService, type Json, type Service } from '../support/service.js';

export type Result = { code: number | undefined; stdout: string; stderr: string };

export type World = {
  env?: Record<string, string>;
  /** What is said on stdin; a terminal says it line by line when it is asked. */
  stdin?: string;
  /** Cells of a line: stdin, stdout and stderr are a terminal. */
  terminal?: number;
};

/** A command under way. */
export type Running = {
  done: Promise<Result>;
  stdout(): string;
  stderr(): string;
  say(line: string): void;
  interrupt(): void;
};

/** What a command under way comes to; patient, because a machine may be busy. */
export const until = <T>(look: () => T): ReturnType<typeof expect.poll<T>> =>
  expect.poll(look, { timeout: 20_000, interval: 10 });

/** Starts the command in this process. */
export function begin(argv: readonly string[], { env = {}, stdin, terminal }: World = {}): Running {
  const input = Object.assign(new PassThrough(), { isTTY: terminal !== undefined });
  if (stdin !== undefined) input.end(stdin);
  else if (terminal === undefined) input.end();
  const listeners = new Set<() => void>();
  const said = { stdout: '', stderr: '' };
  const sink = (to: keyof typeof said): Sink => ({
    write: async (text) => void (said[to] += text),
    isTTY: terminal !== undefined,
    columns: terminal,
    rows: terminal === undefined ? undefined : 40,
  });
  const done = main(argv, {
    stdin: input,
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    env: { AGENT_SERVER_CONTEXT_FILE: '/nonexistent/context.json', ...env },
    now: Date.now,
    onInterrupt(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
  return {
    done: done.then((code) => ({ code, ...said })),
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    say: (line) => void input.write(`${line}\n`),
    interrupt: () => [...listeners].forEach((listener) => listener()),
  };
}

export const run = (argv: readonly string[], world?: World): Promise<Result> => begin(argv, world).done;

export type Tool = Service & {
  env: Record<string, string>;
  /** Runs a command against the service. */
  cli(...argv: string[]): Promise<Result>;
  begin(argv: readonly string[], world?: World): Running;
  /** Runs a command with `-o json`, and answers the document, which fits its schema. */
  json<T = Json>(...argv: string[]): Promise<T>;
};

/** A server with the demo agents, and the tool at work on it. */
export async function openTool(options: Parameters<typeof openService>[0] = {}): Promise<Tool> {
  const service = await openService({ agents: demoAgents(), ...options });
  const env = { AGENT_SERVER_URL: service.url };
  const cli = (...argv: string[]): Promise<Result> => run(argv, { env });
  return {
    ...service,
    env,
    cli,
    begin: (argv, world) => begin(argv, { ...world, env: { ...env, ...world?.env } }),
    async json<T>(...argv: string[]) {
      const { code, stdout, stderr } = await cli(...argv, '-o', 'json');
      expect({ code, stderr }, argv.join(' ')).toEqual({ code: 0, stderr: '' });
      return fits(stdout) as T;
    },
  };
}

const ajv = new Ajv2020({ strict: false });
for (const [kind, schema] of Object.entries(jsonSchemas())) ajv.addSchema(schema, kind);

/** The document, when it fits the published schema of its kind. */
export function fits(text: string): Json {
  expect(text, 'the document').not.toBe('');
  const document = JSON.parse(text) as { kind: string };
  const isValid = ajv.getSchema(document.kind);
  expect(isValid?.(document), `${document.kind}: ${ajv.errorsText(isValid?.errors)}`).toBe(true);
  return document;
}

/** The records of lines, each of which fits the schema of the kind. */
export function linesOf<T = Json>(kind: string, text: string): T[] {
  const records = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
  for (const record of records) recordSchemas[kind]!.parse(record);
  return records;
}

const EXECUTABLE = fileURLToPath(new URL('../../bin/agent-server', import.meta.url));
const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('AGENT_SERVER_')));

export type Spawned = {
  child: ChildProcess;
  done: Promise<Result & { signal: NodeJS.Signals | null }>;
  stdout(): string;
};

/** The executable in a process of its own; killed by its pid when the test is over and it is not. */
export function spawnTool(argv: readonly string[], env: Record<string, string>): Spawned {
  return spawned(process.execPath, [EXECUTABLE, ...argv], env);
}

/** A shell script in which `agent-server` is the executable. */
export function spawnShell(script: string, env: Record<string, string>): Spawned {
  const start = `agent-server() { "${process.execPath}" "${EXECUTABLE}" "$@"; }; export -f agent-server\n`;
  return spawned('bash', ['-c', start + script], env);
}

function spawned(command: string, argv: string[], env: Record<string, string>): Spawned {
  const child = spawn(command, argv, {
    env: { ...inherited, AGENT_SERVER_CONTEXT_FILE: '/nonexistent/context.json', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (bytes: Buffer) => void (said.stdout += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => void (said.stderr += bytes.toString()));
  const done = once(child, 'close').then(([code, signal]) => ({ code, signal, ...said }) as never);
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await done;
  });
  return { child, done, stdout: () => said.stdout };
}
