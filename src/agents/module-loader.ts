/**
 * Imports a module of the user's: JavaScript as Node does, TypeScript through jiti (its syntax is stripped, its types are
 * not checked). What TypeScript imports is loaded the same way, packages as Node does. Nothing is written to disk.
 */

import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';

const TYPESCRIPT = ['.ts', '.mts', '.cts'];

/** The module's exports. Rejects with whatever the module throws, or because it is not there. `path` is absolute. */
export async function importModule(path: string): Promise<Record<string, unknown>> {
  if (!TYPESCRIPT.includes(extname(path))) {
    return (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  }
  // Loaded on demand: most servers never need it.
  const { createJiti } = await import('jiti');
  const jiti = createJiti(import.meta.url, { fsCache: false, interopDefault: false });
  return jiti.import<Record<string, unknown>>(path);
}
