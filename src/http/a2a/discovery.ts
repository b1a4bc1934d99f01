/**
 * Discovery: the well-known card, the list of agents and the card of each (spec, A2A; CONTRACT-PROTOCOLS 8.2, 8.4).
 *
 * The well-known card asks nobody for a token and may be cached: its entity tag changes with the agents and with what
 * their cards say.
 */

import { createHash } from 'node:crypto';
import { agentNotFound } from '../../errors.js';
import type { Agent } from '../../agents/types.js';
import { canonicalJson } from '../body-hash.js';
import type { Ctx, Handler } from '../context.js';
import type { Services } from '../services.js';
import { version } from '../health.js';
import { agentCard, cardPath, gatewayCard, sendPath, type Deployment } from './card.js';
import { agentIdOf } from './path.js';

/** What the cards of this server say, whoever reads them. */
export type Features = Pick<Deployment, 'authenticated' | 'push'>;

export const deploymentOf = (ctx: Ctx, features: Features): Deployment => ({
  origin: `${ctx.protocol}://${ctx.host}`,
  version,
  ...features,
});

const CACHE_CONTROL = 'public, max-age=30, must-revalidate';

export function wellKnownCard({ agents }: Pick<Services, 'agents'>, features: Features): Handler {
  return function getWellKnownCard(ctx) {
    const deployment = deploymentOf(ctx, features);
    const all = agents.list();
    const etag = entityTag(all, deployment);
    ctx.set({ 'cache-control': CACHE_CONTROL, etag });
    if (matches(ctx.get('if-none-match'), etag)) return void (ctx.status = 304);
    ctx.body = gatewayCard(all, deployment);
  };
}

/** Weak: two cards that say the same may differ in bytes. */
function entityTag(agents: readonly Agent[], deployment: Deployment): string {
  const cards = agents.map((agent) => [agent.id, agentCard(agent, deployment)]);
  const digest = createHash('sha256').update(canonicalJson(cards)).digest('hex');
  return `W/"a2a-agents-${digest.slice(0, 16)}"`;
}

/** Weak comparison (RFC 9110, 13.1.2): `*`, or any tag of the list, with or without `W/`. */
function matches(ifNoneMatch: string, etag: string): boolean {
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag));
}

/** `GET /v1/a2a/agents`: every agent of the server, by id. */
export function listAgents({ agents }: Pick<Services, 'agents'>): Handler {
  return function getA2aAgents(ctx) {
    ctx.body = agents.list().map(({ id, name, description }) => ({
      agentId: id,
      name,
      description,
      agentCardUrl: cardPath(id),
      messageSendUrl: sendPath(id),
    }));
  };
}

/** `GET /v1/a2a/agents/:agent_id/agent-card`. */
export function getCard({ agents }: Pick<Services, 'agents'>, features: Features): Handler {
  return function getAgentCard(ctx) {
    const agent_id = agentIdOf(ctx);
    const agent = agents.get(agent_id);
    if (!agent) throw agentNotFound(agent_id);
    ctx.body = agentCard(agent, deploymentOf(ctx, features));
  };
}
