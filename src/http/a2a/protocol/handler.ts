/**
 * The official protocol's methods for one agent, over the engine: its log is the store of the tasks (CONTRACT-PROTOCOLS
 * 8.3). The SDK's transport handlers read the requests and write the answers.
 */

import { AgentCard, TaskState, type StreamResponse, type Task } from '@a2a-js/sdk';
import {
  PushNotificationNotSupportedError,
  TaskNotCancelableError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import type { Engine } from '../../../actors/engine.js';
import type { RunRecord } from '../../../actors/records.js';
import type { Agent } from '../../../agents/types.js';
import { ErrorCode, hasCode } from '../../../errors.js';
import type { Services } from '../../services.js';
import type { TargetRules } from '../../push/target.js';
import { cancelOnDisconnect } from '../../run-stream.js';
import { agentCard, extendedCard, type Deployment } from '../card.js';
import { taskRun } from '../tasks.js';
import { accept } from './accept.js';
import type { Call } from './call.js';
import { listTasks } from './list.js';
import { historyLength, taskOf } from './projection.js';
import { getConfig, listConfigs, readConfig, setConfig } from './push.js';
import { refusalOf } from './refusal.js';
import { atEnd, atRest } from './standstill.js';
import { stateOf } from './states.js';
import { streamOf, subscriptionOf, type StreamPlan } from './stream.js';

type Method<K extends keyof A2ARequestHandler> = A2ARequestHandler[K];
type Params<K extends keyof A2ARequestHandler> = Parameters<Method<K>>[0];
type Result<M extends keyof A2ARequestHandler> = ReturnType<A2ARequestHandler[M]>;

const WHOLE = { history_length: undefined, artifacts: true };

export class AgentTasks implements A2ARequestHandler {
  readonly #card: AgentCard;

  constructor(
    private readonly services: Services,
    private readonly agent: Agent,
    private readonly deployment: Deployment,
  ) {
    this.#card = AgentCard.fromJSON(agentCard(agent, deployment));
  }

  getAgentCard = (): Promise<AgentCard> => Promise.resolve(this.#card);

  getAuthenticatedExtendedAgentCard = (_: unknown, context: ServerCallContext): Promise<AgentCard> =>
    this.#answer(context, () => {
      if (!context.user?.isAuthenticated)
        throw new UnsupportedOperationError('the extended card is for callers who have shown a token');
      return Promise.resolve(AgentCard.fromJSON(extendedCard(this.agent, this.deployment)));
    });

  sendMessage = (params: Params<'sendMessage'>, context: ServerCallContext): Promise<Task> =>
    this.#answer(context, async (engine, call) => {
      const { configuration } = params;
      const history_length = historyLength(configuration?.historyLength);
      const run = await this.#accept(engine, params, call);
      const settled = configuration?.returnImmediately ? run : await this.#rest(engine, run, call);
      return taskOf(engine, settled, { history_length, artifacts: true });
    });

  sendMessageStream = (params: Params<'sendMessage'>, context: ServerCallContext): Result<'sendMessageStream'> =>
    this.#stream(context, async (engine, call) => {
      const history_length = historyLength(params.configuration?.historyLength);
      const run = await this.#accept(engine, params, call);
      const plan = await streamOf(engine, run, { history_length, position: call.position });
      return this.#stops ? { ...plan, onAbandoned: cancelOnDisconnect(engine, run.run_id, this.services) } : plan;
    });

  resubscribe = ({ id }: Params<'resubscribe'>, context: ServerCallContext): Result<'resubscribe'> =>
    this.#stream(context, async (engine, call) => subscriptionOf(engine, await this.#task(engine, id), call.position));

  getTask = ({ id, historyLength: length }: Params<'getTask'>, context: ServerCallContext): Promise<Task> =>
    this.#answer(context, async (engine) => {
      const wanted = { history_length: historyLength(length), artifacts: true };
      return taskOf(engine, await this.#task(engine, id), wanted);
    });

  listTasks = (params: Params<'listTasks'>, context: ServerCallContext): Result<'listTasks'> =>
    this.#answer(context, (engine) => listTasks(engine, this.agent.id, params));

  /** Resolves when the task has stopped. */
  cancelTask = ({ id }: Params<'cancelTask'>, context: ServerCallContext): Promise<Task> =>
    this.#answer(context, async (engine, { principal, gone }) => {
      const run = await this.#task(engine, id);
      await engine.deliver({ type: 'cancel', run_id: run.run_id }, principal).catch(unlessEnded);
      const ended = await atEnd(engine, run, gone);
      if (stateOf(ended) !== TaskState.TASK_STATE_CANCELED)
        throw new TaskNotCancelableError(`task ${id} has ended and cannot be cancelled`);
      return taskOf(engine, ended, WHOLE);
    });

  createTaskPushNotificationConfig = (
    params: Params<'createTaskPushNotificationConfig'>,
    context: ServerCallContext,
  ): Result<'createTaskPushNotificationConfig'> =>
    this.#push(context, params.taskId, (engine, run_id, { principal, requestedVersion }, rules) =>
      setConfig(engine, run_id, readConfig(params, requestedVersion, rules), principal),
    );

  getTaskPushNotificationConfig = (
    params: Params<'getTaskPushNotificationConfig'>,
    context: ServerCallContext,
  ): Result<'getTaskPushNotificationConfig'> =>
    this.#push(context, params.taskId, (engine, run_id) => getConfig(engine, run_id, params.id));

  listTaskPushNotificationConfigs = (
    params: Params<'listTaskPushNotificationConfigs'>,
    context: ServerCallContext,
  ): Result<'listTaskPushNotificationConfigs'> =>
    this.#push(context, params.taskId, async (engine, run_id) => ({
      configs: await listConfigs(engine, run_id),
      nextPageToken: '',
    }));

  deleteTaskPushNotificationConfig = (params: Params<'deleteTaskPushNotificationConfig'>, context: ServerCallContext) =>
    this.#push(context, params.taskId, async (engine, run_id, { principal }) => {
      await engine.deliver({ type: 'delete_push', run_id, config_id: params.id }, principal);
    });

  /** Whether clients that leave stop their tasks (CONTRACT 1.8). */
  get #stops(): boolean {
    return this.agent.on_disconnect === 'cancel';
  }

  #task(engine: Engine, id: string): Promise<RunRecord> {
    return taskRun(engine, this.agent.id, id.trim());
  }

  #accept(engine: Engine, params: Params<'sendMessage'>, { principal, requestedVersion }: Call): Promise<RunRecord> {
    const wish = params.configuration?.taskPushNotificationConfig;
    const rules = this.services.push;
    const push = wish && rules ? readConfig(wish, requestedVersion, rules) : undefined;
    return accept({ engine, agent_id: this.agent.id, principal }, params, push);
  }

  async #rest(engine: Engine, run: RunRecord, { gone }: Call): Promise<RunRecord> {
    const stop = cancelOnDisconnect(engine, run.run_id, this.services);
    if (this.#stops) gone.addEventListener('abort', stop);
    try {
      return await atRest(engine, run, gone);
    } finally {
      gone.removeEventListener('abort', stop);
    }
  }

  #push<T>(
    context: ServerCallContext,
    task_id: string,
    work: (engine: Engine, run_id: string, call: Call, rules: TargetRules) => Promise<T>,
  ): Promise<T> {
    return this.#answer(context, async (engine, call) => {
      const { run_id } = await this.#task(engine, task_id);
      const rules = this.services.push;
      if (!rules) throw new PushNotificationNotSupportedError();
      return work(engine, run_id, call, rules);
    });
  }

  /** Does the work of a call; what it throws is told in the words of the protocol. */
  async #answer<T>(context: ServerCallContext, work: (engine: Engine, call: Call) => Promise<T>): Promise<T> {
    const call = context as Call;
    call.progress = { is: 'answering' };
    try {
      return await work(this.services.engine(call.principal), call);
    } catch (thrown) {
      const refusal = refusalOf(thrown);
      call.progress = { is: 'refused', refusal };
      throw refusal.error;
    }
  }

  /** Notes what stream is wanted; the route opens it. */
  #stream(
    context: ServerCallContext,
    open: (engine: Engine, call: Call) => Promise<StreamPlan>,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const call = context as Call;
    call.progress = {
      is: 'streaming',
      open: () => {
        this.services.sse.assertRoom(call.caller);
        return open(this.services.engine(call.principal), call);
      },
    };
    return nothing();
  }
}

/** What is streamed does not pass through here. */
async function* nothing(): AsyncGenerator<StreamResponse, void, undefined> {}

function unlessEnded(error: unknown): void {
  if (!hasCode(error, ErrorCode.runNotActive)) throw error;
}
