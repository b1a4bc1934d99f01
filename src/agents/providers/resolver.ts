/**
 * From `<provider>:<model id>` to the model to call.
 *
 * Keys are named in the configuration and read from the environment each time a model is made: no configuration, log,
 * event or error holds one; they are kept only as what must never be shown (`redact.ts`). A missing key is a warning at
 * start and an error when the model is used (CONTRACT 11). The provider `scripted` is always there.
 */

import type { LanguageModelV3 } from '@ai-sdk/provider';
import { z } from 'zod';
import { keepSecret } from '../../redact.js';
import { parse } from '../schema.js';
import { scriptByName } from '../scripted/scripts.js';
import { discreetFetch } from './discreet-fetch.js';
import { kindOf, providerSchema, type ProviderConfig } from './kinds.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Providers by the name that model strings use. */
export type ProvidersConfig = Record<string, ProviderConfig>;

export type ModelResolver = {
  /** Gives the model. Throws a plain `Error` with one clear sentence when it cannot be made (no such provider, no key). */
  resolve(model: string): LanguageModelV3;
  /** What is wrong with a model string for good; undefined when nothing is. A missing key is not. */
  fault(model: string): string | undefined;
  /** Sentences about providers that will fail when used as things are now: their key is not set. */
  warnings(): string[];
  /** Namespaces that `provider_options` may have. */
  namespaces(): string[];
  /** `max_concurrent` of the providers that have one, by name. */
  limits(): Record<string, number>;
};

/** The provider of a model string. */
export const providerOf = (model: string): string => model.slice(0, Math.max(model.indexOf(':'), 0));

const scripted: ProvidersConfig = { scripted: { kind: 'scripted' } };

export const providersSchema = z.record(
  z.string().regex(/^[^:\s]+$/, 'must not contain ":" or spaces'),
  providerSchema,
);

/** `providers` is checked here: throws `ConfigError`. `env` is read at each use. */
export function createModelResolver(providers: unknown = {}, env: Environment = process.env): ModelResolver {
  const known: ProvidersConfig = { ...scripted, ...parse(providersSchema, providers, 'providers') };

  const find = (model: string): { name: string; config: ProviderConfig; id: string } => {
    const name = providerOf(model);
    const id = model.slice(name.length + 1);
    if (name === '' || id === '') throw new Error(`model "${model}" must be "<provider>:<model id>"`);
    const config = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!config)
      throw new Error(`model "${model}": unknown provider "${name}"; known are ${Object.keys(known).join(', ')}`);
    return { name, config, id };
  };

  /** The provider's key; undefined when it needs none, null when it is not set. */
  const keyOf = (config: ProviderConfig): string | null | undefined => {
    const variables = variablesOf(config);
    if (variables.length === 0) return undefined;
    return variables.map((variable) => env[variable]?.trim()).find(Boolean) ?? null;
  };

  return {
    resolve(model) {
      const { name, config, id } = find(model);
      const apiKey = keyOf(config);
      if (apiKey === null) throw new Error(missingKey(name, config));
      keepSecret(apiKey);
      const base_url = 'base_url' in config ? config.base_url : undefined;
      return kindOf(config).model(id, { name, apiKey, fetch: discreetFetch(apiKey) }, base_url);
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
      Object.entries(known).flatMap(([name, config]) => (keyOf(config) === null ? [missingKey(name, config)] : [])),
    namespaces: () => [...new Set(Object.entries(known).map(([name, config]) => kindOf(config).namespace ?? name))],
    limits: () =>
      Object.fromEntries(
        Object.entries(known).flatMap(([name, { max_concurrent: max }]) => (max === undefined ? [] : [[name, max]])),
      ),
  };
}

const variablesOf = (config: ProviderConfig): readonly string[] =>
  'api_key_env' in config && config.api_key_env !== undefined ? [config.api_key_env] : kindOf(config).keys;

function missingKey(name: string, config: ProviderConfig): string {
  const variables = variablesOf(config);
  const verb = variables.length > 1 ? 'none of the environment variables' : 'the environment variable';
  return `provider "${name}" has no API key: ${verb} ${variables.join(', ')} is ${variables.length > 1 ? '' : 'not '}set`;
}
