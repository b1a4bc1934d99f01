import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { makeDirectory } from './make-directory.js';

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'agent-server-'));
  onTestFinished(() => rm(base, { recursive: true }));
});

describe('a directory that is made', () => {
  it('has all above it, each for its owner alone', async () => {
    await makeDirectory(join(base, 'a', 'b', 'c'));
    for (const path of ['a', 'a/b', 'a/b/c']) expect((await stat(join(base, path))).mode & 0o777).toBe(0o700);
  });

  it('is left as it is when it is there, also behind a link', async () => {
    await symlink(base, join(base, 'link'));
    for (const path of [base, join(base, 'link'), '/']) await makeDirectory(path);
    expect((await stat(base)).isDirectory()).toBe(true);
  });

  it('may be made by several at once', async () => {
    await Promise.all(['x', 'x', 'y'].map((name) => makeDirectory(join(base, 'a', 'b', name))));
    expect((await stat(join(base, 'a', 'b', 'y'))).isDirectory()).toBe(true);
  });

  it.each(['file', 'file/below', 'dangling', 'dangling/below', 'loop'])('cannot be %s', async (name) => {
    await writeFile(join(base, 'file'), '');
    await symlink(join(base, 'nowhere', 'at', 'all'), join(base, 'dangling'));
    await symlink('loop', join(base, 'loop'));
    await expect(makeDirectory(join(base, name))).rejects.toThrow(join(base, name.replace('/below', '')));
  });

  // Where there is no such file system it cannot be made either.
  it.each(['/proc/agent-server', '/proc/self/agent-server/data'])('cannot be %s, and that is soon known', (path) =>
    expect(makeDirectory(path)).rejects.toThrow(),
  );
});
