/**
 * What a receiver of push notifications is told, in the words of the protocol version it speaks: a 1.0 receiver gets the
 * item a stream would bring (the change of status; at the end the task with its result), a 0.3 receiver the task. Pure.
 */

import { StreamResponse, TaskState, type Task } from '@a2a-js/sdk';
import { V03PushNotificationSerializer } from '@a2a-js/sdk/compat/v0_3/server';
import type { PushConfig, PushNews, TerminationCode } from '../../actors/index.js';
import { answerArtifact, endMessage, timestamp } from './protocol/events.js';
import { metadataOf } from './protocol/projection.js';
import { askingMessage, pendingQuestion } from './protocol/questions.js';
import type { Status } from './protocol/snapshot.js';
import { stateOf } from './protocol/states.js';

const legacy = new V03PushNotificationSerializer();

/** The body of a notification, as JSON text. */
export function pushPayload(news: PushNews, version: PushConfig['version']): string {
  const task = taskOf(news);
  if (version === '0.3') return legacy.serialize({ payload: { $case: 'task', value: task } }).body;
  const { id: taskId, contextId, status } = task;
  const item: StreamResponse =
    news.run.status === 'done'
      ? { payload: { $case: 'task', value: task } }
      : { payload: { $case: 'statusUpdate', value: { taskId, contextId, status, metadata: undefined } } };
  return JSON.stringify(StreamResponse.toJSON(item));
}

const taskOf = (news: PushNews): Task => ({
  id: news.run.run_id,
  contextId: news.run.thread_id,
  status: statusOf(news),
  artifacts: news.response ? [answerArtifact(news.response.message_id, news.response.text)] : [],
  history: [],
  metadata: metadataOf(news.run),
});

function statusOf({ run, pending, seq, at }: PushNews): Status {
  const state = stateOf(run);
  return { state, timestamp: timestamp(at), message: messageOf() };

  function messageOf(): Status['message'] {
    if (state === TaskState.TASK_STATE_INPUT_REQUIRED)
      return askingMessage(`${run.run_id}/${seq}`, run, pending.map(pendingQuestion));
    if (run.status !== 'done') return undefined;
    return endMessage(run, { code: run.termination_code as TerminationCode, detail: run.termination_detail });
  }
}
