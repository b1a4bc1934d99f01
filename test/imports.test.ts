/**
 * No import goes round, imports of types included: a file can be read after those it stands on. Which folder may import
 * which is for the linter to say.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const IMPORT = /(?:from |import )'(\.[^']+)'|import\('(\.[^']+)'\)/g;

/** Each source file with the source files it imports; paths without their extension. */
const imports = new Map(
  readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/\.(test|conformance)\.tsx?$/.test(path))
    .map((path) => {
      const found = readFileSync(join('src', path), 'utf8').matchAll(IMPORT);
      return [bare(path), Array.from(found, ([, of, lazy]) => bare(join(dirname(path), (of ?? lazy)!)))];
    }),
);

function bare(path: string): string {
  return path.replace(/\.[jt]sx?$/, '');
}

/** The first circle there is, from a file back to itself. */
function circleIn(graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const known = new Set<string>();
  const way: string[] = [];
  const follow = (file: string): string[] | undefined => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (known.has(file)) return undefined;
    known.add(file);
    way.push(file);
    for (const next of graph.get(file) ?? []) {
      const circle = follow(next);
      if (circle) return circle;
    }
    way.pop();
    return undefined;
  };
  for (const file of graph.keys()) {
    const circle = follow(file);
    if (circle) return circle;
  }
  return undefined;
}

test('no source file imports itself by way of others', () => {
  expect(imports.get('actors/host/runtime')).toContain('actors/thread/thread-host');
  expect(circleIn(imports)).toBeUndefined();
});

test('a circle would be found', () => {
  const graph = new Map(Object.entries({ a: ['b'], b: ['c', 'd'], c: [], d: ['b'] }));
  expect(circleIn(graph)).toEqual(['b', 'd', 'b']);
});
