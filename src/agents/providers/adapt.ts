/** What we do differently from a provider package: a model that changes the options of each call on their way in. */

import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider';

export type Adaptation = (options: LanguageModelV3CallOptions) => LanguageModelV3CallOptions;

/**
 * A model that is made when it is called, by a package that is loaded with the first call: there are four, of a megabyte
 * each, and few servers use more than one.
 */
export const deferred = (provider: string, modelId: string, make: () => Promise<LanguageModelV3>): LanguageModelV3 => ({
  specificationVersion: 'v3',
  provider,
  modelId,
  supportedUrls: {},
  doGenerate: async (options) => (await make()).doGenerate(options),
  doStream: async (options) => (await make()).doStream(options),
});

/** The same model, each of its calls passed through `change`. */
export function adapted(model: LanguageModelV3, change: Adaptation): LanguageModelV3 {
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate(change(options)),
    doStream: (options) => model.doStream(change(options)),
  };
}

/**
 * System messages of the middle of a conversation are told at its front, in their order, for providers that know no
 * other place and would refuse the whole thread for it.
 */
export const systemInFront: Adaptation = (options) => {
  const isSystem = ({ role }: { role: string }) => role === 'system';
  const rest = options.prompt.filter((message) => !isSystem(message));
  return { ...options, prompt: [...options.prompt.filter(isSystem), ...rest] };
};

/** Options for a namespace of `providerOptions`, unless the call has its own. */
export const withDefaults =
  (namespace: string, defaults: Record<string, string | number | boolean>): Adaptation =>
  (options) => ({
    ...options,
    providerOptions: {
      ...options.providerOptions,
      [namespace]: { ...defaults, ...options.providerOptions?.[namespace] },
    },
  });
