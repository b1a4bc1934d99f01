/**
 * The kinds of providers: what each may be configured with, where its key usually stands, and how its model is made.
 *
 * The packages are used as model clients alone, one call at a time; retries and loops are the run's. A new kind is one
 * entry here.
 */

import type { LanguageModelV3 } from '@ai-sdk/provider';
import { z } from 'zod';
import { choice } from '../schema.js';
import { scriptByName } from '../scripted/scripts.js';
import { adapted, deferred, systemInFront, withDefaults } from './adapt.js';

/** How to reach a provider: its key, if it has one, and a `fetch` that keeps the key out of what comes back. */
export type Access = { name: string; apiKey: string | undefined; fetch: typeof globalThis.fetch };

type Kind = {
  /** Environment variables a key is looked for in when the configuration names none; empty: it needs no key. */
  keys: readonly string[];
  /** Namespace of its `provider_options`; absent: the provider's name. */
  namespace?: string;
  model(this: void, id: string, access: Access, base_url: string | undefined): LanguageModelV3;
};

const settings = ({ apiKey, fetch }: Access, baseURL: string | undefined) => ({
  fetch,
  ...(apiKey === undefined ? {} : { apiKey }),
  ...(baseURL === undefined ? {} : { baseURL }),
});

const kinds = {
  openai: {
    keys: ['OPENAI_API_KEY'],
    namespace: 'openai',
    // The thread is the memory: nothing is left at the provider, and what it would look up there for the next call
    // (reasoning) travels encrypted instead, which also works when the thread goes on months later.
    model: (id, access, base_url) =>
      deferred('openai', id, async () => {
        const { createOpenAI } = await import('@ai-sdk/openai');
        return adapted(createOpenAI(settings(access, base_url))(id), withDefaults('openai', { store: false }));
      }),
  },
  anthropic: {
    keys: ['ANTHROPIC_API_KEY'],
    namespace: 'anthropic',
    model: (id, access, base_url) =>
      deferred('anthropic', id, async () => {
        const { createAnthropic } = await import('@ai-sdk/anthropic');
        return adapted(createAnthropic(settings(access, base_url))(id), systemInFront);
      }),
  },
  google: {
    keys: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
    namespace: 'google',
    model: (id, access, base_url) =>
      deferred('google', id, async () => {
        const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
        return adapted(createGoogleGenerativeAI(settings(access, base_url))(id), systemInFront);
      }),
  },
  'openai-compatible': {
    keys: [],
    model: (id, access, base_url) =>
      deferred(access.name, id, async () => {
        const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
        const given = { ...settings(access, base_url), name: access.name, baseURL: base_url! };
        return createOpenAICompatible({ ...given, includeUsage: true })(id);
      }),
  },
  scripted: { keys: [], model: (id) => scriptByName(id) },
} satisfies Record<string, Kind>;

export const kindOf = (config: ProviderConfig): Kind => kinds[config.kind];

/** An address of the web that holds no credentials. */
export const webAddress = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .refine(
    (text) => !URL.canParse(text) || new URL(text).username === '',
    'must not contain credentials (use api_key_env)',
  );
const base_url = webAddress.describe('Where the API begins, for example http://127.0.0.1:11434/v1');
export const apiKeyVariable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable')
  .optional()
  .describe('The environment variable that holds the key. Keys themselves never stand in a configuration.');
const max_concurrent = z.int().min(1).optional().describe('Runs that may be running at once on its models.');

const hosted = { base_url: base_url.optional(), api_key_env: apiKeyVariable, max_concurrent };

export const providerSchema = choice('kind', {
  openai: hosted,
  anthropic: hosted,
  google: hosted,
  'openai-compatible': { ...hosted, base_url },
  scripted: { max_concurrent },
});

export type ProviderConfig = z.output<typeof providerSchema>;
