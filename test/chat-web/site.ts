/** The chat page in front of a real server, and a browser to look at it with. */

import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { demoAgents } from '../../src/agents/demo.js';
import { createServer } from '../../src/index.js';
import { EXAMPLE, runCommand, startProgram } from './processes.js';

/** Chromium of the system; undefined when there is none. */
export const CHROMIUM = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => path !== undefined && existsSync(path),
);

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export type Site = {
  /** Of the page. */
  url: string;
  /** Of the server behind it. */
  server: string;
  browser: Browser;
  close(): Promise<void>;
};

const VITE = join(EXAMPLE, 'node_modules/vite/bin/vite.js');

/** Installs what the page is made of, unless it is there. */
export async function installPage(): Promise<void> {
  if (!existsSync(VITE)) await runCommand('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
}

/** Builds the page, serves it and the demo agents on free ports, and opens a browser with a new profile. */
export async function openSite(): Promise<Site> {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    await installPage();
    const dir = await mkdtemp(join(tmpdir(), 'agent-server-chat-'));
    closing.push(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
    const page = join(dir, 'page');
    await runCommand(process.execPath, [VITE, 'build', '--outDir', page, '--logLevel', 'warn']);
    const server = createServer({ agents: demoAgents(), data: join(dir, 'data'), port: 0 });
    const serverUrl = await server.listen();
    closing.push(() => server.close());
    const preview = await startProgram([VITE, 'preview', '--outDir', page, '--port', '0'], /(http:\/\/\S+:\d+)\//, {
      env: { AGENT_SERVER_URL: serverUrl },
    });
    closing.push(() => preview.stop());
    const browser = await chromium.launch({ executablePath: CHROMIUM!, headless: true, args: FLAGS });
    closing.push(() => browser.close());
    return { url: preview.url, server: serverUrl, browser, close };
  } catch (error) {
    await close();
    throw error;
  }
}
