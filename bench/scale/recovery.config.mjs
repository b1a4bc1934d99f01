/**
 * The agents of the recovery measurement. `SCALE_LEDGER` names a file that gets a line for every question to a model;
 * with `SCALE_HOLD` models say half a word and wait, so that their runs are running when the server is killed.
 */

import { openSync, writeSync } from 'node:fs';
import { defineAgent } from '../../dist/index.js';
import { demoAgents } from '../../dist/agents/demo.js';
import { scriptedModel } from '../../dist/agents/scripted/model.js';
import { finish, text } from '../../dist/agents/scripted/parts.js';
import { TEXTS } from '../work.mjs';

const ledger = openSync(process.env.SCALE_LEDGER ?? '/dev/null', 'a');
const isHeld = process.env.SCALE_HOLD !== undefined;

const model = scriptedModel(async function* talker({ prompt, abortSignal }) {
  const question = prompt.findLast(({ role }) => role === 'user');
  const words = question.content.map((part) => part.text ?? '').join('');
  writeSync(ledger, `${/ from (\S+)$/.exec(words)?.[1]}\n`);
  if (isHeld) {
    for (const part of text(TEXTS.slice(0, 3))) if (part.type !== 'text-end') yield part;
    await new Promise((_, reject) => abortSignal?.addEventListener('abort', () => reject(abortSignal.reason)));
  }
  yield* text(TEXTS);
  yield finish('stop', { input: 20, output: 36 });
}, 'talker');

export default { agents: [...demoAgents(), defineAgent({ id: 'talker', description: 'Talks.', model })] };
