/** `POST /v1/backup {dir}`: a consistent copy of the data while the server runs (CONTRACT 9.1). */

import { z } from 'zod';
import type { BackupReport } from '../../actors/engine.js';
import { AuditAction } from '../../actors/audit/action.js';
import { does } from '../audit/reading.js';
import { json, route, type Route } from '../openapi/route.js';
import { Scope } from '../scopes.js';
import type { Service } from '../service-state.js';
import { parseBody, requiredId } from '../validation.js';

const request = z.object({ dir: requiredId.describe('path of a new directory below `server.backup_dir`') });

const report = z
  .object({
    dir: z.string(),
    rows: z.int(),
    bytes: z.int().describe('of the files of the copy'),
    duration_ms: z.int(),
  })
  .meta({ id: 'BackupReport' }) satisfies z.ZodType<BackupReport>;

export function backupRoute(service: Pick<Service, 'engine'>): Route {
  return route({
    tag: 'operator',
    method: 'post',
    path: '/v1/backup',
    id: 'backup',
    audit: does(AuditAction.backup),
    summary: 'Copies the data of this server, as of now, into a new directory on its machine',
    description:
      'Answers when the copy is whole and on the disk; runs go on meanwhile. 403 unless `server.backup_dir` is configured, ' +
      '409 when the directory holds something or another backup is under way.',
    scopes: [Scope.admin],
    reach: 'process',
    body: request,
    answers: { 200: json(report, 'the copy') },
    refusals: [409],
    async handle(ctx) {
      const { dir } = parseBody(request, ctx.request.body);
      ctx.body = await service.engine().backup(dir, ctx.state.principal);
    },
  });
}
