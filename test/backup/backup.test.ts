/** `POST /v1/backup`: a server on the copy goes on where the first one stood, which never stopped (CONTRACT 9.1). */

import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { openEngine, type Decision, type HostedEngine } from '../../src/actors/index.js';
import { createAgentRegistry } from '../../src/agents/registry.js';
import { parseTokens } from '../../src/http/tokens.js';
import { asker, echo, holder, openService, user, type Service } from '../support/service.js';
import { tempDir } from '../support/temp-dir.js';

const backup = (service: Service, dir: unknown, token?: string) =>
  service.call('POST', '/v1/backup', { dir }, token === undefined ? {} : { authorization: `Bearer ${token}` });

/** Reads a run's log to its end. */
async function finished(engine: HostedEngine, run_id: string): Promise<unknown> {
  const reader = await engine.readEvents(run_id, -1);
  let last: unknown;
  for (let slice = await reader.next(); slice; slice = await reader.next()) last = slice.chunk.events.at(-1);
  return last;
}

test('the copy goes on with every run that was open at that moment, and so does the server', async () => {
  const root = await tempDir();
  const held = holder();
  const service = await openService({ agents: [asker(), echo(), held.agent], backup_dir: root });
  const waiting = await service.run({ agentId: 'asker', threadId: 'a', messages: [user('pay')] });
  const done = await service.run({ agentId: 'echo', threadId: 'b', messages: [user('hi')] });
  const running = await service.start({ agentId: 'holder', threadId: 'c', messages: [user('wait')] });

  const answer = await backup(service, 'deep/first');
  expect({ status: answer.status, body: answer.body }).toEqual({
    status: 200,
    body: { dir: 'deep/first', rows: expect.any(Number), bytes: expect.any(Number), duration_ms: expect.any(Number) },
  });
  expect(await readdir(join(root, 'deep'))).toEqual(['first']);
  const later = await service.run({ agentId: 'echo', threadId: 'b', messages: [user('later')] });
  held.release();
  await finished(service.engine, running.run_id);

  const freed = holder();
  freed.release();
  const copy = await openEngine({
    store: { dir: join(root, 'deep', 'first') },
    agents: createAgentRegistry([asker(), echo(), freed.agent]),
    disk: { ballast: 1, probe: 1, lowWater: 0 },
  });
  onTestFinished(() => copy.close(0));
  const record = (run_id: string) => copy.read({ kind: 'run', run_id });
  expect(await record(done.run_id)).toEqual(await service.engine.read({ kind: 'run', run_id: done.run_id }));
  expect(await record(later.run_id)).toBeUndefined();
  const decision: Decision = {
    target_id: 'call-1',
    decision_id: 'd',
    action: 'resume',
    result: { approved: true },
    updated_at: 0,
  };
  await copy.deliver({ type: 'decide', run_id: waiting.run_id, decisions: [decision] });
  for (const { run_id } of [waiting, running]) {
    expect(await finished(copy, run_id)).toMatchObject(['run_finish', expect.any(Number), {}]);
    expect(await record(run_id)).toMatchObject({ status: 'done', termination_code: 'natural' });
  }
  expect(await service.engine.read({ kind: 'run', run_id: waiting.run_id })).toMatchObject({ status: 'waiting' });
});

describe('a backup is refused', () => {
  it('unless a directory is configured for backups', async () => {
    const service = await openService({});
    expect(await backup(service, 'x')).toMatchObject({
      status: 403,
      body: { error: 'forbidden: backups are not enabled, set server.backup_dir' },
    });
  });

  it('when its directory leads out of that one, or is none', async () => {
    const root = await tempDir();
    const service = await openService({ backup_dir: join(root, 'backups') });
    const odd = ['..', '../x', 'a/../..', '.', 'a/..', join(root, 'backups', 'x'), 'x.partial', 'x.partial/y', 'a\0b'];
    for (const dir of [...odd, '', ' ', null, 7, undefined, ['x'], 'x'.repeat(300)])
      expect([dir, (await backup(service, dir)).status]).toEqual([dir, 400]);
    expect(await readdir(root)).toEqual([]);
  });

  it('when something is there, also while another one is under way', async () => {
    const root = await tempDir();
    const service = await openService({ agents: [echo()], backup_dir: root });
    await mkdir(join(root, 'full'));
    await writeFile(join(root, 'full', 'file'), 'mine');
    expect(await backup(service, 'full')).toMatchObject({ status: 409 });
    const both = await Promise.all([backup(service, 'a'), backup(service, 'a')]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await backup(service, 'a')).toMatchObject({ status: 409 });
    expect((await readdir(root)).sort()).toEqual(['a', 'full']);
  });

  it('to tokens that are not for the whole server', async () => {
    const tokens = parseTokens('all\nadmin admin\nop operator\nbound admin team-1');
    const service = await openService({ backup_dir: await tempDir(), http: { tokens } });
    const statuses = [];
    for (const token of ['all', 'admin', 'op', 'bound']) statuses.push((await backup(service, token, token)).status);
    expect(statuses).toEqual([200, 200, 403, 403]);
  });
});
