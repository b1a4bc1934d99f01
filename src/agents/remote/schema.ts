/** What the configuration of a remote agent may say (CONTRACT 10.1): all of an agent that is not the remote's own affair. */

import { z } from 'zod';
import { agentShape } from '../agent-schema.js';
import { apiKeyVariable, webAddress } from '../providers/kinds.js';
import { section } from '../schema.js';

const BAD_HEADER = 'is not the name of a header that may be set here';
/** A token of HTTP that is not one of those the transport sets itself. */
const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, BAD_HEADER)
  .refine((name) => !/^(content-|accept$|host$|connection$|a2a-)/i.test(name), BAD_HEADER);
const headerValue = z.string().regex(/^[\t\x20-\x7e]*$/, 'must be visible ASCII');

const a2a = section({
  url: webAddress.describe("The agent card's address, or the address whose well-known card is the agent's."),
  api_key_env: apiKeyVariable,
  api_key_header: headerName
    .optional()
    .describe('The header that carries the key as it is. Default: authorization, as a bearer token.'),
  headers: z
    .record(headerName, headerValue, { error: ({ code }) => (code === 'invalid_key' ? BAD_HEADER : undefined) })
    .default({})
    .describe('Sent with every request to the same origin.'),
  idempotent: z
    .boolean()
    .optional()
    .describe('Whether the remote takes a message once, so that it may be sent again. Default: what its card says.'),
  timeout_ms: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .default(600_000)
    .describe('What one answer may take, time in which the remote is away included.'),
});

const { id, name, description, max_rounds, max_retries, on_disconnect, on_busy, max_concurrent } = agentShape;

const remoteAgentShape = {
  id,
  name,
  description,
  a2a,
  max_rounds: max_rounds.describe('Answers of one run: each question of the remote costs one.'),
  max_retries,
  on_disconnect,
  on_busy,
  max_concurrent,
};

export const remoteAgentSection = section(remoteAgentShape);
