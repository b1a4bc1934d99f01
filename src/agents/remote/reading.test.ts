import { Role, TaskState, type Message, type Part, type StreamResponse, type Task } from '@a2a-js/sdk';
import { describe, expect, test } from 'vitest';
import { dataPart, textPart } from './parts.js';
import { Reading } from './reading.js';
import type { RemoteMemory } from './types.js';

const message = (messageId: string, parts: Part[]): Message => ({
  messageId,
  contextId: 'c',
  taskId: 't',
  role: Role.ROLE_AGENT,
  parts,
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});
const says = (text: string, id = text): Message => message(id, [textPart(text)]);

const status = (state: TaskState, said?: Message, metadata?: object): StreamResponse => ({
  payload: {
    $case: 'statusUpdate',
    value: { taskId: 't', contextId: 'c', status: { state, message: said, timestamp: undefined }, metadata },
  },
});
const task = (state: TaskState, more: Partial<Task> = {}): StreamResponse => ({
  payload: {
    $case: 'task',
    value: {
      id: 't',
      contextId: 'c',
      status: { state, message: undefined, timestamp: undefined },
      artifacts: [],
      history: [],
      metadata: undefined,
      ...more,
    },
  },
});
const artifact = (artifactId: string, ...parts: Part[]) => ({
  artifactId,
  name: '',
  description: '',
  parts,
  metadata: undefined,
  extensions: [],
});

/** The text of an answer that came as these items. */
function textOf(items: StreamResponse[], memory?: RemoteMemory): { text: string; reading: Reading } {
  const reading = new Reading(memory);
  let text = '';
  for (const item of items)
    for (const [type, data] of reading.take(item)) if (type === 'text_delta') text += data.delta;
  expect(text).toBe(reading.text);
  return { text, reading };
}

const { TASK_STATE_WORKING: WORKING, TASK_STATE_COMPLETED: COMPLETED } = TaskState;

describe('an answer', () => {
  test('may be a bare message', () => {
    const { text, reading } = textOf([{ payload: { $case: 'message', value: says('hello') } }]);
    expect([text, reading.standing.is, reading.task]).toEqual(['hello', 'ended', undefined]);
  });

  test('may be the last word of the task', () => {
    expect(textOf([status(COMPLETED, says('hello'))]).text).toBe('hello');
  });

  test('that is repeated in the last word is told once', () => {
    const items = [task(WORKING, { artifacts: [artifact('a', textPart('hello '))] }), status(COMPLETED, says('hello'))];
    expect(textOf(items).text).toBe('hello ');
  });

  test('may stand in the history alone', () => {
    expect(textOf([task(COMPLETED, { history: [says('hello')] })]).text).toBe('hello');
  });

  test('of data and files is told in text', () => {
    const file: Part = { ...textPart(''), content: { $case: 'url', value: 'http://x/f' }, filename: 'f.pdf' };
    const items = [task(COMPLETED, { artifacts: [artifact('a', dataPart({ n: 1 })), artifact('b', file)] })];
    expect(textOf(items).text).toBe('{"n":1}\n\n[f.pdf](http://x/f)');
  });
});

describe('what is said on the way', () => {
  test('is reasoning, told once', () => {
    const reading = new Reading();
    const thought = status(WORKING, message('m', [textPart('looking'), dataPart({ at: 1 })]));
    expect(reading.take(thought)).toEqual([['reasoning_delta', { delta: 'looking\n' }]]);
    expect(reading.take(thought)).toEqual([]);
  });
});

describe('a question', () => {
  test('ends the step; an unknown state does not', () => {
    const reading = new Reading();
    reading.take(status(TaskState.UNRECOGNIZED));
    expect(reading.standing).toEqual({ is: 'open' });
    reading.take(status(TaskState.TASK_STATE_INPUT_REQUIRED, says('which?')));
    expect(reading.standing).toMatchObject({ is: 'asks', message: { messageId: 'which?' } });
  });

  test('that was answered is not asked again; what it was told before is not told again', () => {
    const memory: RemoteMemory = {
      conversation: 'c',
      context_id: 'c',
      task_id: 't',
      question: 'which?',
      told: { a: 5 },
      counted: { input_tokens: 3, output_tokens: 2 },
    };
    const usage = { usage: { input_tokens: 10, output_tokens: 4 } };
    const { text, reading } = textOf(
      [
        status(TaskState.TASK_STATE_INPUT_REQUIRED, says('which?')),
        task(WORKING, { artifacts: [artifact('a', textPart('told new'))] }),
        status(COMPLETED, undefined, usage),
      ],
      memory,
    );
    expect([text, reading.standing.is]).toEqual(['new', 'ended']);
    expect(reading.spent).toEqual({ input_tokens: 7, output_tokens: 2 });
  });
});

test.each([
  [TaskState.TASK_STATE_FAILED, 'the remote agent failed: why'],
  [TaskState.TASK_STATE_REJECTED, 'the remote agent rejected the task: why'],
  [TaskState.TASK_STATE_CANCELED, 'the task was cancelled at the remote agent: why'],
])('state %s is a failure', (state, why) => {
  const reading = new Reading();
  reading.take(status(state, says('why')));
  expect(reading.standing).toEqual({ is: 'failed', why });
});
