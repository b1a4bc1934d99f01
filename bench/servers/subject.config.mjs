/**
 * The configuration the server is measured with: its demo agents as they are, one agent whose scripted model says the
 * same words PACE_MS apart, and one that says as many words as it is asked for. Everything else is the default.
 */

import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { defineAgent } from '../../dist/index.js';
import { demoAgents } from '../../dist/agents/demo.js';
import { scriptedModel } from '../../dist/agents/scripted/model.js';
import { finish, text } from '../../dist/agents/scripted/parts.js';
import { PACE_MS, TEXTS } from '../work.mjs';

const WORDS_A_TURN = 8;

const model = scriptedModel(async function* paced() {
  for (const part of text(TEXTS)) {
    if (part.type === 'text-delta') await wait(PACE_MS);
    yield part;
  }
  yield finish('stop', { input: 20, output: 36 });
}, 'paced');

const paced = defineAgent({ id: 'paced', description: 'Speaks at an even pace.', model });

/** "400 words after 2000 ms": some words a turn of the event loop. */
const fountainModel = scriptedModel(async function* fountain({ prompt }) {
  const question = JSON.stringify(prompt.findLast(({ role }) => role === 'user'));
  const [words, after] = [/(\d+) words/, /after (\d+) ms/].map((number) => Number(number.exec(question)?.[1] ?? 0));
  if (after > 0) await wait(after);
  let said = 0;
  for (const part of text(Array.from({ length: words }, () => 'word '))) {
    if (++said % WORDS_A_TURN === 0) await turn();
    yield part;
  }
  yield finish('stop', { input: 20, output: words });
}, 'fountain');

const fountain = defineAgent({ id: 'fountain', description: 'Says many words.', model: fountainModel });

export default { agents: [...demoAgents(), paced, fountain] };
