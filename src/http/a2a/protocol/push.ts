/**
 * Push notification configs: how the protocol writes them, and how the engine keeps them. Notifications are written with
 * the changes they tell of and delivered by the engine (`actors/push`).
 */

import type { TaskPushNotificationConfig } from '@a2a-js/sdk';
import { RequestMalformedError, TaskNotFoundError } from '@a2a-js/sdk/errors';
import type { Engine, Principal } from '../../../actors/engine.js';
import type { PushConfig } from '../../../actors/push/types.js';
import { newId } from '../../../new-id.js';
import { targetFault, type TargetRules } from '../../push/target.js';
import { idFault } from '../../validation.js';

/** Reads a config; one without an id gets one. Throws `RequestMalformedError`. */
export function readConfig(given: TaskPushNotificationConfig, version: string, rules: TargetRules): PushConfig {
  const id = given.id.trim() || newId();
  const fault = idFault(id);
  if (fault) throw new RequestMalformedError(`id: ${fault}`);
  const unfit = targetFault(given.url, rules);
  if (unfit) throw new RequestMalformedError(`url: ${unfit}`);
  const { token, authentication } = given;
  return {
    id,
    url: given.url,
    token: token || null,
    authentication: authentication?.scheme ? authentication : null,
    version: version === '0.3' ? '0.3' : '1.0',
  };
}

const writeConfig = (taskId: string, { id, url, token, authentication }: PushConfig): TaskPushNotificationConfig => ({
  tenant: '',
  id,
  taskId,
  url,
  token: token ?? '',
  authentication: authentication ?? undefined,
});

/** From now on its receiver is told of the task. The config as it is kept. */
export async function setConfig(
  engine: Engine,
  run_id: string,
  config: PushConfig,
  principal: Principal,
): Promise<TaskPushNotificationConfig> {
  const answer = await engine.deliver({ type: 'set_push', run_id, config }, principal);
  return writeConfig(run_id, answer.config);
}

/** The configs of a task, by id. */
export const listConfigs = async (engine: Engine, run_id: string): Promise<TaskPushNotificationConfig[]> =>
  ((await engine.read({ kind: 'push', run_id })) ?? [])
    .map((config) => writeConfig(run_id, config))
    .sort((a, b) => (a.id < b.id ? -1 : 1));

/** Without an id the first one, as clients before 1.0 may ask. Throws `TaskNotFoundError`, as the protocol has it. */
export async function getConfig(engine: Engine, run_id: string, id: string): Promise<TaskPushNotificationConfig> {
  const configs = await listConfigs(engine, run_id);
  const config = id === '' ? configs[0] : configs.find((one) => one.id === id);
  if (!config) throw new TaskNotFoundError(`task ${run_id} has no push notification config ${id}`.trim());
  return config;
}
