/**
 * `/v1/a2a/rest/:agent_id/…`: the protocol over HTTP and JSON, 1.0 (CONTRACT-PROTOCOLS 8.3). A request without an
 * `A2A-Version` header is taken for 1.0: there is no other version here.
 *
 * Errors have the form of the protocol, `{"error": {code, status, message, details}}`; only an agent that is not there is
 * refused in the words of this server.
 */

import {
  A2A_CONTENT_TYPE,
  A2A_VERSION_HEADER,
  AgentCard,
  ListTaskPushNotificationConfigsResponse,
  SendMessageRequest,
  SendMessageResponse,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import { restStatusFor, toRestErrorBody } from '@a2a-js/sdk/errors';
import { validateVersion } from '@a2a-js/sdk/server';
import { ErrorCode, hasCode } from '../../../errors.js';
import type { Ctx, Handler, Middleware } from '../../context.js';
import type { Services } from '../../services.js';
import { nameRun } from '../../run-stream.js';
import { configIdOf, taskIdBefore, taskIdOf } from '../path.js';
import { Call } from './call.js';
import type { AgentTasks } from './handler.js';
import { listedTasks } from './list.js';
import { refusalOf } from './refusal.js';
import { integerIn, listingIn, present } from './rest-query.js';
import { openStream } from './stream.js';
import { decode, objectIn, tasksFor, tell, type Wire } from './wire.js';

/** Answers what is thrown, from the reading of the body on. */
export function restErrors(services: Services): Middleware {
  return async function tellAsRest(ctx, next) {
    try {
      await next();
    } catch (thrown) {
      if (hasCode(thrown, ErrorCode.agentNotFound)) throw thrown;
      const refusal = refusalOf(thrown);
      const status = refusal.status ?? restStatusFor(refusal.error);
      tell(ctx, services, refusal, status);
      write(ctx, status, toRestErrorBody(refusal.error, status));
    }
  };
}

function write(ctx: Ctx, status: number, body: unknown): void {
  ctx.status = status;
  ctx.body = body;
  ctx.type = A2A_CONTENT_TYPE;
}

type Method = (tasks: AgentTasks, call: Call, ctx: Ctx) => Promise<unknown>;

/** One route: what the method answers is the body. */
const answering = (wire: Wire, method: Method, status = 200): Handler =>
  async function answerA2aRest(ctx) {
    const { tasks, call } = await begin(ctx, wire);
    try {
      const body = await method(tasks, call, ctx);
      if (body === undefined) ctx.status = 204;
      else write(ctx, status, body);
    } catch (thrown) {
      // What we refuse is told with its status; the SDK's form has none.
      throw call.progress.is === 'refused' ? call.progress.refusal.cause : thrown;
    }
  };

/** One route that answers with a stream. */
const streaming = (wire: Wire, method: (tasks: AgentTasks, call: Call, ctx: Ctx) => unknown): Handler =>
  async function streamA2aRest(ctx) {
    const { tasks, call } = await begin(ctx, wire);
    method(tasks, call, ctx);
    if (call.progress.is === 'streaming') openStream(ctx, wire.services, await call.progress.open(), { is: 'rest' });
  };

async function begin(ctx: Ctx, wire: Wire): Promise<{ tasks: AgentTasks; call: Call }> {
  const tasks = tasksFor(ctx, wire);
  const version = ctx.get(A2A_VERSION_HEADER).trim() || '1.0';
  validateVersion(version, await tasks.getAgentCard(), 'HTTP+JSON');
  return { tasks, call: new Call(ctx, version) };
}

const TENANT = { tenant: '' };

export const restRoutes = {
  send: (wire: Wire): Handler =>
    answering(wire, async (tasks, call, ctx) =>
      SendMessageResponse.toJSON({ payload: { $case: 'task', value: await tasks.sendMessage(sentIn(ctx), call) } }),
    ),

  stream: (wire: Wire): Handler => streaming(wire, (tasks, call, ctx) => tasks.sendMessageStream(sentIn(ctx), call)),

  subscribe: (wire: Wire): Handler =>
    streaming(wire, (tasks, call, ctx) => tasks.resubscribe({ ...TENANT, id: taskIdBefore(ctx, ':subscribe') }, call)),

  get: (wire: Wire): Handler =>
    answering(wire, async (tasks, call, ctx) => {
      const length = integerIn(ctx, 'historyLength');
      return Task.toJSON(
        await tasks.getTask({ ...TENANT, id: taskIdOf(ctx), ...present('historyLength', length) }, call),
      );
    }),

  list: (wire: Wire): Handler =>
    answering(wire, async (tasks, call, ctx) => listedTasks(await tasks.listTasks(listingIn(ctx), call))),

  cancel: (wire: Wire): Handler =>
    answering(wire, async (tasks, call, ctx) => {
      const asked = { ...TENANT, id: taskIdBefore(ctx, ':cancel'), metadata: undefined };
      const task = await tasks.cancelTask(asked, call);
      nameRun(ctx, { run_id: task.id, thread_id: task.contextId });
      return Task.toJSON(task);
    }),

  card: (wire: Wire): Handler =>
    answering(wire, async (tasks, call) => AgentCard.toJSON(await tasks.getAuthenticatedExtendedAgentCard({}, call))),

  setPush: (wire: Wire): Handler =>
    answering(
      wire,
      async (tasks, call, ctx) => {
        const body = { ...objectIn(ctx), taskId: taskIdOf(ctx) };
        const config = decode(() => TaskPushNotificationConfig.fromJSON(body));
        return TaskPushNotificationConfig.toJSON(await tasks.createTaskPushNotificationConfig(config, call));
      },
      201,
    ),

  listPush: (wire: Wire): Handler =>
    answering(wire, async (tasks, call, ctx) => {
      const asked = { ...TENANT, taskId: taskIdOf(ctx), pageSize: 0, pageToken: '' };
      return ListTaskPushNotificationConfigsResponse.toJSON(await tasks.listTaskPushNotificationConfigs(asked, call));
    }),

  getPush: (wire: Wire): Handler =>
    answering(wire, async (tasks, call, ctx) =>
      TaskPushNotificationConfig.toJSON(await tasks.getTaskPushNotificationConfig(configIn(ctx), call)),
    ),

  deletePush: (wire: Wire): Handler =>
    answering(wire, (tasks, call, ctx) => tasks.deleteTaskPushNotificationConfig(configIn(ctx), call)),
};

const sentIn = (ctx: Ctx): SendMessageRequest => {
  const body = objectIn(ctx);
  return decode(() => SendMessageRequest.fromJSON(body));
};

const configIn = (ctx: Ctx) => ({ ...TENANT, taskId: taskIdOf(ctx), id: configIdOf(ctx) });
