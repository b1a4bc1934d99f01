/**
 * The configuration the server is measured with: its demo agents as they are, and one agent whose scripted model says
 * the same words PACE_MS apart. Everything else is the default.
 */

import { setTimeout as wait } from 'node:timers/promises';
import { defineAgent } from '../../dist/index.js';
import { demoAgents } from '../../dist/agents/demo.js';
import { scriptedModel } from '../../dist/agents/scripted/model.js';
import { finish, text } from '../../dist/agents/scripted/parts.js';
import { PACE_MS, TEXTS } from '../work.mjs';

const model = scriptedModel(async function* paced() {
  for (const part of text(TEXTS)) {
    if (part.type === 'text-delta') await wait(PACE_MS);
    yield part;
  }
  yield finish('stop', { input: 20, output: 36 });
}, 'paced');

const paced = defineAgent({ id: 'paced', description: 'Speaks at an even pace.', model });

export default { agents: [...demoAgents(), paced] };
