import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { receiver } from '../../../test/support/receiver.js';
import { PushRefused, type PushConfig, type PushDelivery, type RunRecord } from '../../actors/index.js';
import { pushDeliverer } from './deliver.js';
import { verify } from './signature.js';
import { checkedLookup, targetFault } from './target.js';

const run = {
  run_id: 'r',
  thread_id: 't',
  agent_id: 'a',
  status: 'running',
  termination_code: null,
  termination_detail: null,
  metadata: null,
} as RunRecord;

const delivery = (
  url: string,
  more: Partial<PushConfig> = {},
  news: Partial<PushDelivery['news']> = {},
): PushDelivery => ({
  delivery_id: 'd',
  config: { id: 'c', url, token: null, authentication: null, version: '1.0', ...more },
  news: { at: 0, seq: 4, run, pending: [], response: null, ...news },
});
const done = { ...run, status: 'done', termination_code: 'natural' } as RunRecord;
const response = { message_id: 'm', text: 'forty-two' };

describe('a notification', () => {
  test('is signed, and carries what the receiver asked for', async () => {
    const there = await receiver();
    const deliver = pushDeliverer({ allow_private: true, secret: () => 'key' }, () => 1_000_000);
    await deliver(delivery(there.url, { token: 'tok', authentication: { scheme: 'Bearer', credentials: 'cred' } }));
    const { headers, body } = there.told[0]!;
    expect(headers).toMatchObject({
      'content-type': 'application/a2a+json',
      'x-a2a-notification-token': 'tok',
      authorization: 'Bearer cred',
      'x-agent-server-delivery': 'd',
    });
    const signature = headers['x-agent-server-signature'] as string;
    expect(verify('key', body, signature, 1_000)).toBe(true);
    expect(verify('key', `${body} `, signature, 1_000)).toBe(false);
    expect(verify('other', body, signature, 1_000)).toBe(false);
    expect(verify('key', body, signature, 2_000)).toBe(false);
    expect(JSON.parse(body)).toMatchObject({
      statusUpdate: { taskId: 'r', contextId: 't', status: { state: 'TASK_STATE_WORKING' } },
    });
  });

  test('of an end brings the task with its result', async () => {
    const there = await receiver();
    await pushDeliverer({ allow_private: true })(delivery(there.url, {}, { run: done, response }));
    expect(JSON.parse(there.told[0]!.body)).toMatchObject({
      task: {
        id: 'r',
        status: { state: 'TASK_STATE_COMPLETED' },
        artifacts: [{ artifactId: 'm', parts: [{ text: 'forty-two' }] }],
      },
    });
    expect(there.told[0]!.headers['x-agent-server-signature']).toBeUndefined();
  });

  test('for a 0.3 receiver is the task, in its words', async () => {
    const there = await receiver();
    await pushDeliverer({ allow_private: true })(delivery(there.url, { version: '0.3' }, { run: done, response }));
    expect(JSON.parse(there.told[0]!.body)).toMatchObject({
      kind: 'task',
      id: 'r',
      status: { state: 'completed' },
      artifacts: [{ parts: [{ kind: 'text', text: 'forty-two' }] }],
    });
  });

  test('of a question brings what is asked', async () => {
    const there = await receiver();
    const waiting = { ...run, status: 'waiting', termination_code: 'input_required' } as RunRecord;
    const pending = [
      { id: 'fc_1', tool_call_id: '1', name: 'pay', kind: 'approval', message: 'approve pay?' } as const,
    ];
    await pushDeliverer({ allow_private: true })(delivery(there.url, {}, { run: waiting, pending: [...pending] }));
    expect(JSON.parse(there.told[0]!.body)).toMatchObject({
      statusUpdate: {
        status: { state: 'TASK_STATE_INPUT_REQUIRED', message: { parts: [{ text: 'approve pay?' }, {}] } },
      },
    });
  });
});

describe('a receiver', () => {
  const failure = (attempt: Promise<void>) =>
    attempt.then(
      () => undefined,
      (error: Error) => error,
    );

  test('that refuses is named by its status alone', async () => {
    const there = await receiver([500]);
    const error = await failure(pushDeliverer({ allow_private: true })(delivery(there.url)));
    expect(error).not.toBeInstanceOf(PushRefused);
    expect(error!.message).toBe('the receiver answered 500');
  });

  test('that is gone for good is not told again', async () => {
    const there = await receiver([410]);
    expect(await failure(pushDeliverer({ allow_private: true })(delivery(there.url)))).toBeInstanceOf(PushRefused);
  });

  test('that wants what no header can hold is refused', async () => {
    const there = await receiver();
    const error = await failure(pushDeliverer({ allow_private: true })(delivery(there.url, { token: 'a\r\nb' })));
    expect(error).toBeInstanceOf(PushRefused);
    expect(error!.message).not.toContain('a\r\nb');
  });

  test('that does not answer in time is tried again', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void silent.close().closeAllConnections());
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const error = await failure(pushDeliverer({ allow_private: true, timeout_ms: 20 })(delivery(url)));
    expect(error!.message).toBe('the receiver did not answer in time');
    expect(error).not.toBeInstanceOf(PushRefused);
  });

  test('that is not there is tried again', async () => {
    const error = await failure(pushDeliverer({ allow_private: true })(delivery('http://127.0.0.1:1/')));
    expect(error!.message).toBe('the receiver is not reached: ECONNREFUSED');
  });

  test('that redirects is not followed', async () => {
    const [there, elsewhere] = [await receiver([307], { location: 'http://127.0.0.1:1/' }), await receiver()];
    const error = await failure(pushDeliverer({ allow_private: true })(delivery(there.url)));
    expect(error!.message).toBe('the receiver answered 307');
    expect(elsewhere.told).toEqual([]);
  });

  test.each(['', '[::ffff:127.0.0.1]', 'localhost', '[::1]', '0x7f.1', '2130706433'])(
    'inside the network (%s) is refused, and never asked',
    async (host) => {
      const there = await receiver();
      const url = host === '' ? there.url : there.url.replace('127.0.0.1', host);
      expect(await failure(pushDeliverer()(delivery(url)))).toBeInstanceOf(PushRefused);
      expect(there.told).toEqual([]);
    },
  );

  test.each([
    'ftp://example.com',
    'nonsense',
    'http://user:pass@example.com',
    'http://10.0.0.1',
    'http://api.localhost',
  ])('of the address %s is refused when it is named', (url) =>
    expect(targetFault(url, { allow_private: false })).toBeTypeOf('string'),
  );
});

test('a name is held to what it resolves to when the connection is made, whatever it said before', async () => {
  const answers = ['93.184.216.34', '127.0.0.1'];
  const resolver = ((_name: string, _options: unknown, done: (e: null, a: unknown[]) => void) =>
    done(null, [{ address: answers.shift(), family: 4 }])) as never;
  const lookup = checkedLookup({ allow_private: false }, resolver);
  const ask = () =>
    new Promise((resolve) =>
      lookup('rebinding.example', { all: true }, (error, addresses) => resolve(error ?? addresses)),
    );
  expect(await ask()).toEqual([{ address: '93.184.216.34', family: 4 }]);
  expect(await ask()).toBeInstanceOf(PushRefused);
});

test('one private address among public ones is enough to refuse', async () => {
  const resolver = ((_name: string, _options: unknown, done: (e: null, a: unknown[]) => void) =>
    done(null, [
      { address: '93.184.216.34', family: 4 },
      { address: '::ffff:10.0.0.1', family: 6 },
    ])) as never;
  const lookup = checkedLookup({ allow_private: false }, resolver);
  const error = await new Promise((resolve) => lookup('mixed.example', {}, (fault) => resolve(fault)));
  expect(error).toBeInstanceOf(PushRefused);
});
