/**
 * `POST /v1/a2a/rpc/:agent_id`: JSON-RPC, 1.0 and 0.3 on one URL (CONTRACT-PROTOCOLS 8.3). The name of the method tells
 * which; for a name that is in neither, the `A2A-Version` header, whose absence means 0.3.
 *
 * Errors are JSON-RPC errors with HTTP 200, as the protocol has it. Only what it knows nothing of has a status of its own:
 * an agent that is not there (404, in the words of this server), and a server that is full, stopping or at fault.
 */

import { A2A_VERSION_HEADER, formatSSEErrorEvent } from '@a2a-js/sdk';
import { isLegacyJsonRpcMethod, isV1JsonRpcMethod, LEGACY_METHOD_TASKS_RESUBSCRIBE } from '@a2a-js/sdk/compat/v0_3';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { A2A_ERROR_CODE, JsonRpcRequestMalformedError, RequestMalformedError, restStatusFor } from '@a2a-js/sdk/errors';
import { JsonRpcTransportHandler, validateVersion } from '@a2a-js/sdk/server';
import { ErrorCode, hasCode } from '../../../errors.js';
import type { JsonObject } from '../../../json.js';
import type { Ctx, Handler, Middleware } from '../../context.js';
import type { Services } from '../../services.js';
import { Call } from './call.js';
import type { Notation } from './encoder.js';
import { refusalOf, type Refusal } from './refusal.js';
import { openStream } from './stream.js';
import { objectIn, tasksFor, tell, type Wire } from './wire.js';

type Version = '1.0' | '0.3';
type Id = string | number | null;
type RpcError = { code: number; message: string };

const codecs = {
  '1.0': {
    Transport: JsonRpcTransportHandler,
    errorOf: (error: Error) => JsonRpcTransportHandler.mapToJSONRPCError(error),
  },
  '0.3': {
    Transport: LegacyJsonRpcTransportHandler,
    errorOf: (error: Error) => LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(error),
  },
};

/** Answers what is thrown around the call: a body that is no JSON, or not one this server takes. */
export function rpcErrors(services: Services): Middleware {
  return async function tellAsRpc(ctx, next) {
    try {
      await next();
    } catch (thrown) {
      if (hasCode(thrown, ErrorCode.agentNotFound)) throw thrown;
      const refusal = refusalOf(thrown);
      const malformed = hasCode(thrown, ErrorCode.badRequest);
      const error = malformed
        ? { code: A2A_ERROR_CODE.PARSE_ERROR, message: thrown.message }
        : codecs['1.0'].errorOf(refusal.error);
      refuse(ctx, services, null, refusal, error);
    }
  };
}

export function postRpc(wire: Wire): Handler {
  const { services } = wire;
  return async function postA2aRpc(ctx) {
    const tasks = tasksFor(ctx, wire);
    const request = requestIn(ctx);
    const version = versionOf(ctx, request);
    const { Transport, errorOf } = codecs[version.speaks];
    const id = idOf(request);
    try {
      validateVersion(version.requested, await tasks.getAgentCard(), 'JSONRPC');
      const call = new Call(ctx, version.requested);
      const answer = await new Transport(tasks).handle(request, call);
      if (call.progress.is === 'streaming') {
        const notation: Notation = { is: 'rpc', version: version.speaks, id };
        openStream(ctx, services, await call.progress.open(), notation);
      } else answerWith(ctx, services, call, answer as { id: Id; error?: RpcError });
    } catch (thrown) {
      const refusal = refusalOf(thrown);
      refuse(ctx, services, id, refusal, errorOf(refusal.error));
      if (request.method === LEGACY_METHOD_TASKS_RESUBSCRIBE && refusal.status === null) asEvent(ctx);
    }
  };
}

/** Clients of 0.3 take nothing but a stream for an answer to this method: what it is refused with is its one event. */
function asEvent(ctx: Ctx): void {
  ctx.body = formatSSEErrorEvent(ctx.body);
  ctx.type = 'text/event-stream; charset=utf-8';
}

/** The request, of which no more is known than that it is an object. Throws the protocol's "invalid request". */
function requestIn(ctx: Ctx): JsonObject {
  try {
    return objectIn(ctx);
  } catch (cause) {
    const message = refusalOf(cause).error.message;
    throw new JsonRpcRequestMalformedError({ message, envelopeCode: A2A_ERROR_CODE.INVALID_REQUEST });
  }
}

/** The version that the client asks for, and the one whose words it uses. */
function versionOf(ctx: Ctx, { method }: JsonObject): { requested: string; speaks: Version } {
  const header = ctx.get(A2A_VERSION_HEADER).trim();
  if (isLegacyJsonRpcMethod(method)) return { requested: header === '1.0' ? '0.3' : header || '0.3', speaks: '0.3' };
  if (isV1JsonRpcMethod(method)) return { requested: header === '0.3' ? '1.0' : header || '1.0', speaks: '1.0' };
  return { requested: header || '0.3', speaks: header === '' || header === '0.3' ? '0.3' : '1.0' };
}

/** As the SDK reads it; an id that is none is answered with null. */
const idOf = ({ id }: JsonObject): Id => (typeof id === 'string' || Number.isInteger(id) ? (id as Id) : null);

function answerWith(ctx: Ctx, services: Services, { progress }: Call, answer: { id: Id; error?: RpcError }): void {
  if (progress.is === 'refused') return refuse(ctx, services, answer.id, progress.refusal, answer.error!);
  const failed = answer.error?.code === A2A_ERROR_CODE.INTERNAL_ERROR;
  // Whatever goes wrong before the call has reached us lies in what was sent.
  if (failed && progress.is === 'reading') {
    const error = codecs['1.0'].errorOf(new RequestMalformedError('Invalid method parameters.'));
    ctx.state.refused = 400;
    return write(ctx, 200, { id: idOf(answer), error });
  }
  if (failed) throw new Error(answer.error!.message);
  write(ctx, 200, answer);
}

function refuse(ctx: Ctx, services: Services, id: Id, refusal: Refusal, error: RpcError): void {
  const status = refusal.status ?? 200;
  ctx.state.refused = refusal.status ?? restStatusFor(refusal.error);
  tell(ctx, services, refusal, status);
  write(ctx, status, { id, error });
}

function write(ctx: Ctx, status: number, answer: object): void {
  ctx.status = status;
  ctx.body = { jsonrpc: '2.0', ...answer };
}
