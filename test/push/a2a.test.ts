/** Push notifications as an A2A client asks for them, and as operators see those that were given up. */

import { Role, type SendMessageRequest, type Task } from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, type Client } from '@a2a-js/sdk/client';
import { expect, test } from 'vitest';
import { pushDeliverer } from '../../src/http/push/deliver.js';
import { receiver } from '../support/receiver.js';
import { asker, echo, openService, type Service } from '../support/service.js';

async function opened(allow_private: boolean): Promise<{ service: Service; client: Client; asking: Client }> {
  const service = await openService({
    agents: [asker(), echo()],
    deliverPush: pushDeliverer({ allow_private, secret: () => 'key' }),
    http: { push: { allow_private } },
  });
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory()],
    cardResolver: new DefaultAgentCardResolver(),
  });
  const clientOf = (id: string) => factory.createFromUrl(`${service.url}/v1/a2a/agents/${id}/agent-card`, '');
  return { service, client: await clientOf('echo'), asking: await clientOf('asker') };
}

const request = (url: string | null): SendMessageRequest => ({
  tenant: '',
  message: {
    messageId: 'm',
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [{ content: { $case: 'text', value: 'hello' }, metadata: undefined, filename: '', mediaType: '' }],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  },
  configuration: {
    acceptedOutputModes: [],
    returnImmediately: false,
    taskPushNotificationConfig: url === null ? undefined : config(url),
  },
  metadata: undefined,
});
const config = (url: string, taskId = '') => ({
  tenant: '',
  id: 'mine',
  taskId,
  url,
  token: 'tok3n',
  authentication: { scheme: 'Bearer', credentials: 'cr3d' },
});

const states = (told: { body: string }[]): unknown[] =>
  told.map(({ body }) => {
    const { statusUpdate, task } = JSON.parse(body) as Record<string, { status: { state: string } }>;
    return (statusUpdate ?? task)!.status.state;
  });

test('asked for with the message: the whole life of the task is told', async () => {
  const there = await receiver();
  const { asking, service } = await opened(true);
  const task = (await asking.sendMessage(request(there.url))) as Task;
  await service.engine.deliver({ type: 'cancel', run_id: task.id });
  const wanted = ['TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_CANCELED'];
  await expect.poll(() => states(there.told)).toEqual(wanted);
  expect(there.told[0]!.headers).toMatchObject({ 'x-a2a-notification-token': 'tok3n', authorization: 'Bearer cr3d' });
});

test('asked for later: what follows is told', async () => {
  const there = await receiver();
  const { asking, service } = await opened(true);
  const task = (await asking.sendMessage(request(null))) as Task;
  await asking.createTaskPushNotificationConfig(config(there.url, task.id));
  await service.engine.deliver({ type: 'cancel', run_id: task.id });
  await expect.poll(() => states(there.told)).toEqual(['TASK_STATE_CANCELED']);
});

test('a receiver inside the network is refused when it is named', async () => {
  const there = await receiver();
  const { client } = await opened(false);
  await expect(client.sendMessage(request(there.url))).rejects.toThrow(/private network/);
  expect(there.told).toEqual([]);
});

test('dead letters are listed and sent again', async () => {
  const there = await receiver([410, 410]);
  const { client, service } = await opened(true);
  await client.sendMessage(request(there.url));
  type Letters = { items: { id: string; receiver: string; last_error: string }[]; total: number };
  const list = async () => (await service.call<Letters>('GET', '/v1/push/dead-letters')).body;
  await expect.poll(async () => (await list()).total).toBe(2);
  const { items } = await list();
  expect(items[0]).toMatchObject({ receiver: new URL(there.url).origin, last_error: 'the receiver answered 410' });
  expect(JSON.stringify(items)).not.toMatch(/tok3n|cr3d|s3cret/);
  const path = (id: string) => `/v1/push/dead-letters/${id}/retry`;
  expect((await service.call('POST', path(items[1]!.id))).status).toBe(202);
  await expect.poll(() => there.told).toHaveLength(3);
  await expect.poll(async () => (await list()).total).toBe(1);
  expect(await service.call('POST', path('no-such'))).toMatchObject({
    status: 404,
    body: { error: 'dead letter not found: no-such' },
  });
});
