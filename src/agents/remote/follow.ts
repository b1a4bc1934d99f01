/**
 * One attempt at a step: finds the task or begins it, and yields what the remote sends until the connection ends.
 *
 * The message is sent under the step's own id. When an earlier attempt may have sent it already, it is looked for first:
 * a remote that does not tell repetitions by the id of the message must not run twice what it has taken in.
 */

import { Role, TaskState, type Message, type SendMessageRequest, type StreamResponse, type Task } from '@a2a-js/sdk';
import { faultOf } from './faults.js';
import type { Line } from './link.js';
import type { Outgoing } from './outgoing.js';
import type { RemoteTask } from './types.js';

export type Attempt = {
  line: Line;
  plan: Outgoing;
  message_id: string;
  signal: AbortSignal;
};

/** Where the remote keeps the tasks of one conversation, newest first; more are not looked at. */
const LOOK_BACK = 20;

/** The task as it is, and if it goes on, what comes of it. */
export async function* follow({ line, signal }: Attempt, { task_id }: RemoteTask): AsyncGenerator<StreamResponse> {
  const task = await line.client.getTask({ tenant: '', id: task_id }, { signal });
  yield whole(task);
  if (!line.streams || !mayGoOn(task)) return;
  yield* line.client.resubscribeTask({ tenant: '', id: task_id }, { signal });
}

/** Sends the message and yields what comes of it. */
export async function* send(attempt: Attempt): AsyncGenerator<StreamResponse> {
  const { line, signal } = attempt;
  const request = requestOf(attempt);
  if (line.streams) return yield* line.client.sendMessageStream(request, { signal });
  const result = await line.client.sendMessage(request, { signal });
  yield 'messageId' in result ? { payload: { $case: 'message', value: result } } : whole(result);
}

/**
 * The task that the step's message has become at the remote, if it has come there and the remote can tell. `absent`: it
 * has not come there. A list says nothing of what is not in it: the remote may have begun another conversation.
 */
export async function find({ line, plan, message_id, signal }: Attempt): Promise<RemoteTask | 'absent' | undefined> {
  const { client } = line;
  const holds = ({ history }: Task): boolean => (history ?? []).some((message) => message.messageId === message_id);
  const toTask = ({ id, contextId }: Task): RemoteTask => ({ task_id: id, context_id: contextId });
  if (plan.answers) {
    const asked = await client.getTask({ tenant: '', id: plan.answers.task_id }, { signal });
    if (holds(asked)) return toTask(asked);
    return (asked.history ?? []).length > 0 ? 'absent' : undefined;
  }
  try {
    const { tasks } = await client.listTasks(
      {
        tenant: '',
        contextId: plan.context_id,
        status: TaskState.TASK_STATE_UNSPECIFIED,
        pageSize: LOOK_BACK,
        pageToken: '',
        statusTimestampAfter: undefined,
      },
      { signal },
    );
    const found = tasks.find(holds);
    return found && toTask(found);
  } catch (error) {
    // Lists came with 1.0 and not everybody has them.
    if (faultOf(error).is === 'away') throw error;
    return undefined;
  }
}

function requestOf({ plan, message_id, line }: Attempt): SendMessageRequest {
  const message: Message = {
    messageId: message_id,
    contextId: plan.context_id,
    taskId: plan.answers?.task_id ?? '',
    role: Role.ROLE_USER,
    parts: plan.parts,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
  return {
    tenant: '',
    message,
    configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: !line.streams },
    metadata: undefined,
  };
}

const whole = (task: Task): StreamResponse => ({ payload: { $case: 'task', value: task } });

const ENDED: readonly (TaskState | undefined)[] = [
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
];
const mayGoOn = ({ status }: Task): boolean => !ENDED.includes(status?.state);
