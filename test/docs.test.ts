/** The documentation as a newcomer takes it: what is shown as a configuration starts, and what is named is there. */

import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { loadConfig } from '../src/agents/config-file.js';
import { startServer } from './support/server-process.js';
import { tempDir } from './support/temp-dir.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MINIMAL = { agents: [{ id: 'a', model: 'scripted:assistant' }] };

async function examples(file: string, language: string): Promise<string[]> {
  const text = await readFile(join(ROOT, file), 'utf8');
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)]
    .filter(([, is]) => is === language)
    .map(([, , code]) => code!);
}

it('an agent with tools of its own (README.md)', async () => {
  const cwd = await tempDir();
  await mkdir(join(cwd, 'node_modules'));
  await symlink(ROOT, join(cwd, 'node_modules/agent-server'));
  await symlink(join(ROOT, 'node_modules/zod'), join(cwd, 'node_modules/zod'));
  const [config, tools, ...more] = await examples('README.md', 'js');
  expect(more).toEqual([]);
  await writeFile(join(cwd, 'agent-server.config.mjs'), config!);
  await writeFile(join(cwd, 'tools.mjs'), tools!);
  const { url } = await startServer({ data: await tempDir(), cwd });
  const { items } = (await (await fetch(`${url}/v1/agents`)).json()) as { items: { tools: { name: string }[] }[] };
  expect(items.map(({ tools }) => tools.map(({ name }) => name))).toEqual([['search', 'refund']]);
});

it.each([
  ['docs/operations.md', 2],
  ['docs/a2a-delegates.md', 2],
])('settings in %s', async (file, count) => {
  const found = await examples(file, 'json');
  expect(found).toHaveLength(count);
  for (const example of found) {
    const path = join(await tempDir(), 'agent-server.config.json');
    await writeFile(path, JSON.stringify({ ...MINIMAL, ...(JSON.parse(example) as object) }));
    expect((await loadConfig({ path })).source).toBe(path);
  }
});

it('files and folders of docs/design.md', async () => {
  const text = await readFile(join(ROOT, 'docs/design.md'), 'utf8');
  const named = [...text.matchAll(/`([a-z][\w./-]*(?:\.ts|\/))`/g)].map(([, path]) => path!);
  const missing = named.filter((path) => !['src', 'src/actors', '.'].some((at) => existsSync(join(ROOT, at, path))));
  expect(named.length).toBeGreaterThan(20);
  expect(missing).toEqual([]);
});
