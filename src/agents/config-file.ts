/**
 * Where the configuration comes from: a file that is named, one of the usual name in the working directory, or, when
 * there is none, the demo agents (CONTRACT 10.1, 11).
 *
 * Everything that cannot be used is a `ConfigError` with one line: the server must not start with half a configuration.
 */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { isTool } from './agent.js';
import { ConfigError } from './config-error.js';
import { resolveConfig, type ServerConfig } from './config.js';
import { demoAgents } from './demo.js';
import { importModule } from './module-loader.js';
import type { Tool } from './types.js';

/** Looked for in this order. */
const EXTENSIONS = ['ts', 'mts', 'js', 'mjs', 'json'];
const NAMES = EXTENSIONS.map((extension) => `agent-server.config.${extension}`);

export type LoadedConfig = ServerConfig & {
  /** The file's absolute path; null for the demo agents. */
  source: string | null;
};

export type LoadOptions = {
  /** The file to read; it must be there. */
  path?: string;
  /** Where relative paths and the usual names are looked for. Default: the working directory. */
  cwd?: string;
};

/** Loads and checks the configuration. Throws `ConfigError`. */
export async function loadConfig({ path, cwd = process.cwd() }: LoadOptions = {}): Promise<LoadedConfig> {
  const source = path === undefined ? findConfig(cwd) : resolve(cwd, path);
  const input = source === null ? { agents: demoAgents() } : await readConfig(source);
  const base = source === null ? cwd : dirname(source);
  const loaded = await resolveConfig(input, { loadTools: (path) => loadTools(resolve(base, path)) });
  return { ...loaded, source };
}

function findConfig(cwd: string): string | null {
  const name = NAMES.find((name) => existsSync(resolve(cwd, name)));
  return name === undefined ? null : resolve(cwd, name);
}

async function readConfig(source: string): Promise<unknown> {
  const extension = extname(source).slice(1);
  if (extension === 'json') return parseJson(await readText(source), source);
  if (!EXTENSIONS.includes(extension)) {
    throw new ConfigError([`${source}: a configuration is a file of the kind ${EXTENSIONS.join(', ')}`]);
  }
  const module = await load(source, 'the configuration');
  if (!('default' in module)) throw new ConfigError([`${source}: has no default export`]);
  return module.default;
}

async function readText(source: string): Promise<string> {
  try {
    return await readFile(source, 'utf8');
  } catch (cause) {
    throw new ConfigError([`${source}: cannot be read: ${line(cause)}`], { cause });
  }
}

function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw new ConfigError([`${source}: is not JSON: ${line(cause)}`], { cause });
  }
}

/** Every export that is a tool, and the tools of a list that is exported. */
async function loadTools(path: string): Promise<Tool[]> {
  const exported = Object.values(await load(path, 'tools'));
  const tools = [...new Set(exported.flatMap((value: unknown) => value).filter(isTool))];
  const names = tools.map((tool) => tool.name);
  const twin = names.find((name, i) => names.indexOf(name) !== i);
  if (twin) throw new ConfigError([`tools: ${path} exports two tools named ${twin}`]);
  if (tools.length === 0) throw new ConfigError([`tools: ${path} exports no tools (use defineTool)`]);
  return tools;
}

async function load(path: string, what: string): Promise<Record<string, unknown>> {
  try {
    return await importModule(path);
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'ConfigError') throw cause;
    throw new ConfigError([`${what}: cannot load ${path}: ${line(cause)}`], { cause });
  }
}

const line = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause)).split('\n')[0]!;
