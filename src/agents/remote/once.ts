/**
 * How a server says in its card that it takes a message once: one with an id that it has seen is answered with the task
 * that it became, also after a crash of either side. Whoever talks to it may then send again what may have been lost.
 */

import type { AgentCard } from '@a2a-js/sdk';

/** URI of the extension. This server's cards have it, too. */
export const MESSAGE_ONCE = 'urn:agent-server:a2a:message-once';

/** Whether the card says so. */
export const takesMessagesOnce = ({ capabilities }: Pick<AgentCard, 'capabilities'>): boolean =>
  (capabilities?.extensions ?? []).some(({ uri }) => uri === MESSAGE_ONCE);
