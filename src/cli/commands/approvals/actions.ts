/** `approvals list`: everything that waits for a person; `-o name` is what `decide` takes. */

import type { Approval } from '../../client/index.js';
import type { ListOptions } from '../../define.js';
import { offsetPages } from '../../lists/pages.js';
import { showMatching } from '../../lists/show.js';
import type { Session } from '../../session/session.js';
import { approvals } from '../../views/approvals.js';

export async function list(session: Session, options: ListOptions): Promise<void> {
  const pages = offsetPages<Approval>(await session.client(), '/v1/approvals');
  await showMatching(session, approvals, pages, options);
}
