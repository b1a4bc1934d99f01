/** `audit list`: who did what, and why. */

import type { AuditRecord } from '../../client/index.js';
import type { ListOptions } from '../../define.js';
import { offsetPages } from '../../lists/pages.js';
import { showMatching } from '../../lists/show.js';
import type { Session } from '../../session/session.js';
import { audit } from '../../views/audit.js';

export async function list(session: Session, options: ListOptions): Promise<void> {
  const pages = offsetPages<AuditRecord>(await session.client(), '/v1/audit');
  await showMatching(session, audit, pages, options);
}
