/**
 * From `<provider>:<model id>` to the model to call.
 *
 * Keys are named in the configuration, read from the environment each time a model is made, and kept nowhere: no
 * configuration, log, event or error holds one. A missing key is a warning at start and an error when the model is used
 * (CONTRACT 11). The provider `scripted` is always there.
 *
 * A new kind of provider is one entry in `kinds`.
 */

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import { z } from 'zod';
import { parse, section } from './schema.js';
import { scriptByName } from './scripted/scripts.js';

type Environment = Readonly<Record<string, string | undefined>>;
type MakeModel<Config> = (this: void, config: Config, id: string, access: Access) => LanguageModelV3;
type Kind<Config> = { schema: z.ZodType<Config>; model: MakeModel<Config> };
/** How to reach a provider: its key, if it needs one, and a `fetch` that keeps the key out of what comes back. */
type Access = { name: string; apiKey: string | undefined; fetch: typeof globalThis.fetch };

const kind = <Config>(schema: z.ZodType<Config>, model: MakeModel<Config>): Kind<Config> => ({ schema, model });

const base_url = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });
const api_key_env = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable');

const kinds = {
  'openai-compatible': kind(
    section({ kind: z.literal('openai-compatible'), base_url, api_key_env: api_key_env.optional() }),
    (config, id, access) => createOpenAICompatible({ ...access, baseURL: config.base_url, includeUsage: true })(id),
  ),
  scripted: kind(section({ kind: z.literal('scripted') }), (_, id) => scriptByName(id)),
};

type Name = keyof typeof kinds;
export type ProviderConfig = { [K in Name]: (typeof kinds)[K] extends Kind<infer Config> ? Config : never }[Name];
/** Providers by the name that model strings use. */
export type ProvidersConfig = Record<string, ProviderConfig>;

export type ModelResolver = {
  /** Gives the model. Throws a plain `Error` with one clear sentence when it cannot be made (no such provider, no key). */
  resolve(model: string): LanguageModelV3;
  /** What is wrong with a model string for good; undefined when nothing is. A missing key is not. */
  fault(model: string): string | undefined;
  /** Sentences about providers that will fail when used as things are now: their key is not set. */
  warnings(): string[];
};

const scripted: ProvidersConfig = { scripted: { kind: 'scripted' } };

/** `providers` is checked here: throws `ConfigError`. `env` is read at each use. */
export function createModelResolver(providers: unknown = {}, env: Environment = process.env): ModelResolver {
  const known: ProvidersConfig = { ...scripted, ...parseProviders(providers) };

  const find = (model: string): { name: string; config: ProviderConfig; id: string } => {
    const colon = model.indexOf(':');
    const [name, id] = [model.slice(0, colon), model.slice(colon + 1)];
    if (colon < 1 || id === '') throw new Error(`model "${model}" must be "<provider>:<model id>"`);
    const config = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!config)
      throw new Error(`model "${model}": unknown provider "${name}"; known are ${Object.keys(known).join(', ')}`);
    return { name, config, id };
  };

  return {
    resolve(model) {
      const { name, config, id } = find(model);
      const variable = keyName(config);
      const apiKey = variable === undefined ? undefined : env[variable]?.trim();
      if (variable !== undefined && !apiKey) throw new Error(missingKey(name, variable));
      const { model: make } = kinds[config.kind] as Kind<ProviderConfig>;
      return make(config, id, { name, apiKey, fetch: discreetFetch(apiKey) });
    },
    fault(model) {
      try {
        const { config, id } = find(model);
        if (config.kind === 'scripted') scriptByName(id);
        return undefined;
      } catch (error) {
        return (error as Error).message;
      }
    },
    warnings: () =>
      Object.entries(known).flatMap(([name, config]) => {
        const variable = keyName(config);
        return variable === undefined || env[variable]?.trim() ? [] : [missingKey(name, variable)];
      }),
  };
}

/** Checks the providers of a configuration. Throws `ConfigError`. */
export function parseProviders(providers: unknown): ProvidersConfig {
  const checked = parse(
    z.record(z.string().regex(/^[^:\s]+$/, 'must not contain ":" or spaces'), anyKind),
    providers,
    'providers',
  );
  return Object.fromEntries(
    Object.entries(checked).map(([name, config]) => [name, parse(schemaOf(config.kind), config, `providers.${name}`)]),
  );
}

const anyKind = z.looseObject({ kind: z.enum(Object.keys(kinds) as [Name, ...Name[]]) });

const schemaOf = (name: Name): z.ZodType<ProviderConfig> => kinds[name].schema as z.ZodType<ProviderConfig>;

const keyName = (config: ProviderConfig): string | undefined =>
  'api_key_env' in config ? config.api_key_env : undefined;

const missingKey = (name: string, variable: string): string =>
  `provider "${name}" has no API key: the environment variable ${variable} is not set`;

/** Providers like to quote a key they refuse; error bodies are read without it. */
function discreetFetch(secret: string | undefined): typeof globalThis.fetch {
  if (!secret) return globalThis.fetch;
  return async (input, init) => {
    const response = await globalThis.fetch(input, init);
    if (response.ok) return response;
    const { status, statusText, headers } = response;
    return new Response((await response.text()).replaceAll(secret, '***'), { status, statusText, headers });
  };
}
