/** The chat page of `examples/chat-web` in a real browser, against a real server. */

import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { tempDir } from '../support/temp-dir.js';
import { installPage, CHROMIUM, openSite, type Site } from './site.js';
import { startProgram } from './processes.js';

let site: Site;

beforeEach((ctx) => ctx.skip(CHROMIUM === undefined, 'chromium is not installed'));
beforeAll(async () => {
  if (CHROMIUM !== undefined) site = await openSite();
}, 90_000);
afterAll(() => site?.close());

const END = 'costs nothing to run.';

type Chat = {
  page: Page;
  thread: string;
  answer: Locator;
  say: (text: string) => Promise<void>;
  button: (name: string) => Locator;
  /** Waits until the page has nothing under way. */
  rest: () => Promise<void>;
};

/** A new conversation in a browser of its own. What the page's code throws or complains of fails the test. */
async function openChat(agent = 'assistant'): Promise<Chat> {
  const context = await site.browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  onTestFinished(async () => {
    await context.close();
    // Chromium notes every 404, and a conversation that has yet to begin is one.
    expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
  });
  const thread = `chat-${Math.random().toString(36).slice(2)}`;
  await page.goto(`${site.url}/#${agent}/${thread}`);
  const rest = () => page.getByRole('status').getByText('Ready').waitFor();
  await rest();
  return {
    page,
    thread,
    rest,
    answer: page.getByRole('article', { name: 'Agent' }),
    button: (name) => page.getByRole('button', { name, exact: true }),
    async say(text) {
      await page.getByLabel('Message', { exact: true }).fill(text);
      await page.keyboard.press('Enter');
    },
  };
}

const occurrences = (text: string, part: string): number => text.split(part).length - 1;

/** What the server has of a conversation. */
async function stored(thread: string): Promise<{ role: string; parts: { type: string; state?: string }[] }[]> {
  const response = await fetch(`${site.server}/v1/ai-sdk/threads/${thread}/messages`);
  return ((await response.json()) as { messages: { role: string; parts: { type: string; state?: string }[] }[] })
    .messages;
}

describe('text', () => {
  it('appears while it is written', async () => {
    const { page, say, answer, rest, button } = await openChat();
    await say('[[slow]] hello');
    await answer.getByText('You said: "hello"').waitFor();
    expect(await answer.innerText()).not.toContain(END);
    await button('Stop').waitFor();
    await answer.getByText(END).waitFor();
    await rest();
    expect(await page.getByRole('article').count()).toBe(2);
    expect(await page.getByRole('link', { name: '[[slow]] hello' }).count()).toBe(1);
  });

  it('goes on after a reload, and is there once', async () => {
    const { page, thread, say, answer, rest } = await openChat();
    await say('[[slow]] once more');
    await answer.getByText('You said: "once more"').waitFor();
    const resumed = page.waitForResponse((response) => response.url().endsWith('/stream'));
    await page.reload();
    expect((await resumed).status()).toBe(200);
    await answer.getByText(END).waitFor();
    await rest();
    expect(await page.getByRole('article').count()).toBe(2);
    const text = await answer.innerText();
    expect(occurrences(text, 'You said')).toBe(1);
    await page.reload();
    await answer.getByText(END).waitFor();
    expect(await answer.innerText()).toBe(text);
    expect((await stored(thread)).map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  it('that the model has taken back is hidden', async () => {
    const { page, say, answer, rest } = await openChat();
    const chunks = [
      { type: 'start', messageId: 'm', messageMetadata: { runId: 'r', threadId: 't' } },
      { type: 'start-step' },
      { type: 'text-start', id: 'm:1', providerMetadata: { agentServer: { partId: 'm:1' } } },
      { type: 'text-delta', id: 'm:1', delta: 'Half a thou' },
      { type: 'text-end', id: 'm:1' },
      { type: 'finish-step' },
      { type: 'message-metadata', messageMetadata: { voidParts: { 'm:1': true } } },
      { type: 'data-inference-retry', data: { attempt: 1, reason: 'cut', voidParts: ['m:1'] }, transient: true },
      { type: 'start-step' },
      { type: 'text-start', id: 'm:2', providerMetadata: { agentServer: { partId: 'm:2' } } },
      { type: 'text-delta', id: 'm:2', delta: 'A whole thought' },
      { type: 'text-end', id: 'm:2' },
      { type: 'finish-step' },
      { type: 'finish', finishReason: 'stop' },
    ];
    const body = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]']
      .map((data) => `data: ${data}\n\n`)
      .join('');
    await page.route('**/runs', (route) => route.fulfill({ contentType: 'text/event-stream', body }));
    await say('hello');
    await answer.getByText('A whole thought').waitFor();
    await rest();
    expect(await answer.innerText()).toBe('A whole thought');
  });
});

describe('a run that is stopped', () => {
  it('ends on the server too', async () => {
    const { page, say, answer, rest, button } = await openChat();
    const response = page.waitForResponse((response) => response.url().endsWith('/runs'));
    await say('[[slow]] stop me');
    const runId = (await response).headers()['x-run-id'];
    await answer.getByText('You said').waitFor();
    await button('Stop').click();
    await answer.getByText('Stopped: cancelled').waitFor();
    await rest();
    expect(await answer.innerText()).not.toContain(END);
    const run = await (await fetch(`${site.server}/v1/runs/${runId}`)).json();
    expect(run).toMatchObject({ status: 'done', termination_code: 'cancelled' });
  });
});

describe('a tool call', () => {
  it('shows how far it is', async () => {
    const { page, say, answer, rest } = await openChat();
    await say('[[progress]] the post');
    const bar = page.getByRole('progressbar');
    await bar.waitFor();
    const far = async (): Promise<number> => Number(await bar.getAttribute('value'));
    const first = await far();
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(1);
    await answer.getByText(/the post: step [2-5] of 5/).waitFor();
    await answer.getByText(END).waitFor();
    await rest();
    expect(await bar.count()).toBe(0);
    expect(await answer.getByText('done', { exact: true }).count()).toBe(1);
  });

  it('that asks first is made when it is approved', async () => {
    const { thread, say, answer, rest, button } = await openChat();
    await say('[[approval]] pay Ada');
    await button('Approve').click();
    await answer.getByText(END).waitFor();
    await rest();
    expect(await answer.innerText()).toContain('"status": "sent"');
    expect(await answer.count()).toBe(1);
    expect(await stored(thread)).toHaveLength(2);
  });

  it('that asks first is not made when it is denied', async () => {
    const { thread, say, answer, rest, button } = await openChat();
    await say('[[approval]] pay Ada');
    await button('Deny').click();
    await answer.getByText(END).waitFor();
    await rest();
    expect(await answer.getByText('denied', { exact: true }).count()).toBe(1);
    expect(await answer.innerText()).not.toContain('"status": "sent"');
    const [, message] = await stored(thread);
    expect(message!.parts).toContainEqual(
      expect.objectContaining({ type: 'tool-transfer_funds', state: 'output-denied' }),
    );
  });

  it('waits for its approval through a reload', async () => {
    const { page, say, answer, rest, button } = await openChat();
    await say('[[approval]] pay Ada');
    await button('Approve').waitFor();
    await page.reload();
    await button('Approve').click();
    await answer.getByText(END).waitFor();
    await rest();
    expect(occurrences(await answer.innerText(), '"status": "sent"')).toBe(1);
  });

  it('of the page is answered by the page', async () => {
    const { page, say, answer, rest } = await openChat('painter');
    await say('green please');
    await answer.getByText(END).waitFor();
    await rest();
    expect(await answer.innerText()).toContain('"painted": "green"');
    expect(await page.locator('html').getAttribute('style')).toContain('--paint: green');
  });

  it('of the page is answered by the user, also after a reload', async () => {
    const { page, say, answer, rest, button } = await openChat();
    await say('[[client-tool]] where am I');
    await page.getByLabel('Where are you?').waitFor();
    await page.reload();
    await page.getByLabel('Where are you?').fill('Uppsala');
    await button('Answer').click();
    await answer.getByText(END).waitFor();
    await rest();
    expect(await answer.innerText()).toContain('"place": "Uppsala"');
  });
});

describe('the page', () => {
  it('keeps conversations apart and finds them again', async () => {
    const { page, say, answer, rest, button } = await openChat();
    await say('the first');
    await answer.getByText(END).waitFor();
    await rest();
    await button('New conversation').click();
    await page.getByRole('heading', { name: 'Say something' }).waitFor();
    await say('the second');
    await answer.getByText('You said: "the second"').waitFor();
    await rest();
    await page.getByRole('link', { name: 'the first' }).click();
    await answer.getByText('You said: "the first"').waitFor();
    expect(await page.getByRole('article').count()).toBe(2);
  });

  it('says what went wrong', async () => {
    const { page, say } = await openChat('failing');
    await say('hello');
    const alert = page.getByRole('alert');
    await alert.getByText('the scripted model failed').waitFor();
  });
});

describe('npm run dev', () => {
  it('starts a server and the page in front of it', async () => {
    await installPage();
    const dev = await startProgram(['dev.mjs'], /Local:\s+(http:\/\/\S+:\d+)\//, {
      env: { PORT: '0', SERVER_PORT: '0', DATA: await tempDir() },
    });
    onTestFinished(() => dev.stop());
    expect(await (await fetch(dev.url)).text()).toContain('<div id="root">');
    const history = await fetch(`${dev.url}/v1/ai-sdk/threads/none/messages`);
    expect([history.status, await history.json()]).toEqual([404, { error: 'thread not found: none' }]);
  });
});
