/**
 * The executable as a few files instead of several hundred: `dist/cli` and the libraries it uses, made into `dist/bin`.
 *
 * Finding, reading and compiling modules one by one is most of what a command costs that answers at once, and what a
 * person waits for before the screen is there. What is loaded when it is wanted stays in files of its own; the server
 * stays as it is (`dist/http`, …), and so do the libraries that it shares with the tool. Nothing is minified: a stack says
 * where it comes from. Part of `npm run build`.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const TOOL = resolve('dist/cli');

const isShared = (id) => ['pino', 'zod'].includes(id);

/** An import that leads out of the tool's folder; what is beside it is beside `dist/bin`, too. */
const isServer = (id, importer = '') =>
  id.startsWith('.') && importer.startsWith(TOOL) && relative(TOOL, resolve(dirname(importer), id)).startsWith('..');

/** Ink's tools for those who work on it come with a package that is not here, and with much that is not needed. */
const noDevtools = {
  name: 'no-devtools',
  resolveId: (id) => (id === './devtools.js' ? { id: 'react-devtools-core', external: true } : null),
};

/** What their licences ask for: the notices of the libraries whose code is in the files. */
const notices = {
  name: 'notices',
  generateBundle(_, bundle) {
    const modules = Object.values(bundle).flatMap(({ moduleIds = [] }) => moduleIds);
    const packages = new Set(modules.map((id) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id)?.[0]).filter(Boolean));
    this.emitFile({ type: 'asset', fileName: 'LICENSES.txt', source: [...packages].sort().map(noticeOf).join('\n') });
  },
};

function noticeOf(directory) {
  const { name, version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const file = readdirSync(directory).find((entry) => /^licen[cs]e/i.test(entry));
  return `${name} ${version} (${license})\n\n${file ? readFileSync(join(directory, file), 'utf8') : ''}\n`;
}

const bundle = await rolldown({
  input: { 'agent-server': 'dist/cli/main.js' },
  platform: 'node',
  external: (id, importer) => isShared(id) || isServer(id, importer),
  // React's development build is slower, and keeps what it measures.
  transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  plugins: [noDevtools, notices],
});
await bundle.write({ dir: 'dist/bin', cleanDir: true });
await bundle.close();
