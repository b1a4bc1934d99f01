/**
 * Agent cards. One card serves everybody (CONTRACT-PROTOCOLS 8.4): those who read the interface document find `url` and
 * the three flags in it, 1.0 clients `supportedInterfaces`, 0.3 clients `additionalInterfaces`. Pure.
 *
 * The URL of the interface document stands first in the card and is relative to the base address; `preferredTransport`
 * gives it a name that no client of the official protocol knows, so none of them takes it for its own.
 */

import { MESSAGE_ONCE } from '../../agents/remote/once.js';
import type { Agent } from '../../agents/types.js';
import type { JsonObject } from '../../json.js';

/** What all cards of a server say. */
export type Deployment = {
  /** `http://host:port`, as the client knows it. */
  origin: string;
  version: string;
  /** Callers have to show a token. */
  authenticated: boolean;
  /** Push notifications can be asked for. */
  push: boolean;
};

const MODES_IN = ['text/plain', 'application/json'];
const MODES_OUT = ['text/plain'];

/** Path of everything that concerns one agent. */
const agentPath = (id: string): string => `/v1/a2a/agents/${encodeURIComponent(id)}`;
export const cardPath = (id: string): string => `${agentPath(id)}/agent-card`;
export const sendPath = (id: string): string => `${agentPath(id)}/message:send`;

/** The card of one agent. */
export const agentCard = (agent: Agent, deployment: Deployment): JsonObject =>
  card({ ...agent, url: sendPath(agent.id), served: agent, skills: [skillOf(agent)] }, deployment);

/** What a caller who has shown a token may know beside that: what the agent can do. */
export const extendedCard = (agent: Agent, deployment: Deployment): JsonObject =>
  card(
    { ...agent, url: sendPath(agent.id), served: agent, skills: [skillOf(agent), ...agent.tools.map(toolSkill)] },
    deployment,
  );

/** The card of the server. Of several agents its interfaces name the first; each has a card of its own. */
export function gatewayCard(agents: readonly Agent[], deployment: Deployment): JsonObject {
  const [first] = agents;
  if (first && agents.length === 1) return agentCard(first, deployment);
  const description = `Gateway to ${agents.length} agents; each has a card of its own.`;
  return card(
    { name: 'agent-server', description, url: '/v1/a2a/agents', served: first, skills: agents.map(skillOf) },
    deployment,
  );
}

type Face = { name: string; description: string; url: string; served: Agent | undefined; skills: JsonObject[] };

function card(face: Face, deployment: Deployment): JsonObject {
  const { version, authenticated, push } = deployment;
  const { name, description, url, served, skills } = face;
  return {
    protocolVersion: '0.3.0',
    name,
    description,
    version,
    url,
    preferredTransport: 'AGENT-RUN',
    ...(served ? interfaces(served.id, deployment) : { additionalInterfaces: [], supportedInterfaces: [] }),
    capabilities: {
      streaming: true,
      pushNotifications: push,
      extendedAgentCard: authenticated,
      taskManagement: true,
      agentDiscovery: true,
      extensions: [EXTENSION],
    },
    supportsAuthenticatedExtendedCard: authenticated,
    defaultInputModes: MODES_IN,
    defaultOutputModes: MODES_OUT,
    skills,
    ...(authenticated ? BEARER : {}),
  };
}

function interfaces(id: string, { origin }: Deployment): JsonObject {
  const rpc = `${origin}/v1/a2a/rpc/${encodeURIComponent(id)}`;
  const rest = `${origin}/v1/a2a/rest/${encodeURIComponent(id)}`;
  return {
    additionalInterfaces: [{ transport: 'JSONRPC', url: rpc }],
    supportedInterfaces: [
      { url: rpc, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: rest, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
      { url: rpc, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    ],
  };
}

const EXTENSION: JsonObject = {
  uri: MESSAGE_ONCE,
  description: 'A message whose id was seen before is answered with the task that it became; nothing runs twice.',
  required: false,
};

/** The scheme in both notations: 0.3 looks at `type`, 1.0 at the name of the object inside. */
const BEARER: JsonObject = {
  securitySchemes: { bearer: { type: 'http', scheme: 'bearer', httpAuthSecurityScheme: { scheme: 'Bearer' } } },
  security: [{ bearer: [] }],
  securityRequirements: [{ schemes: { bearer: { list: [] } } }],
};

const skillOf = ({ id, name, description }: Agent): JsonObject => ({ id, name, description, tags: ['agent'] });

const toolSkill = ({ name, description }: Agent['tools'][number]): JsonObject => ({
  id: `tool:${name}`,
  name,
  description,
  tags: ['tool'],
});
