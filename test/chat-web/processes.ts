/** Processes of the example as its readers start them. */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The folder of the example. */
export const EXAMPLE = fileURLToPath(new URL('../../examples/chat-web/', import.meta.url));

type Options = { env?: Record<string, string>; cwd?: string };

function launch(command: string, args: string[], { env = {}, cwd = EXAMPLE }: Options): Said {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(AGENT_SERVER_|FORCE_COLOR|PORT$)/.test(name));
  const child = spawn(command, args, {
    cwd,
    env: { ...Object.fromEntries(inherited), NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: Said = { child, text: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => void (said.text += bytes.toString()));
  return said;
}

type Said = { child: ChildProcess; text: string };

/** Runs a command to its end. Throws with what it has said when it fails. */
export async function runCommand(command: string, args: string[], options: Options = {}): Promise<void> {
  const said = launch(command, args, options);
  const [code] = (await once(said.child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${said.text}`);
}

/** A server that has said where it listens. */
export type Listening = { url: string; stop(): Promise<void> };

/** Starts a Node program and waits for a line in which it says where it listens: the first group of `line`. */
export async function startProgram(args: string[], line: RegExp, options: Options = {}): Promise<Listening> {
  const said = launch(process.execPath, args, options);
  const closed = once(said.child, 'close');
  const stop = async (): Promise<void> => {
    if (said.child.exitCode === null && said.child.signalCode === null) said.child.kill('SIGTERM');
    await closed;
  };
  const url = await new Promise<string>((resolve, reject) => {
    const look = (): void => {
      const found = line.exec(said.text)?.[1];
      if (found) resolve(found);
    };
    said.child.stdout!.on('data', look);
    void closed.then(() => reject(new Error(`${args.join(' ')} has ended: ${said.text}`)));
  });
  return { url, stop };
}
