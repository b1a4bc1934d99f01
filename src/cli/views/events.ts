/** Events of runs (CONTRACT 1.5). */

import type { RunEvent } from '../client/index.js';
import { brief, clock } from './texts.js';
import type { View } from './view.js';

export const events: View<RunEvent> = {
  kind: 'RunEvent',
  name: ({ run_id, seq }) => [run_id, String(seq)],
  columns: [
    { title: 'SEQ', right: true, cell: ({ seq }) => String(seq) },
    { title: 'TIME', cell: ({ timestamp_ms }) => clock(timestamp_ms) },
    { title: 'STEP', right: true, cell: ({ step }) => (step === undefined ? '' : String(step)) },
    { title: 'TYPE', cell: ({ type }) => type, style: ({ type }) => (type === 'error' ? 'fault' : 'strong') },
    { title: 'DATA', cell: ({ data }) => brief(data) },
  ],
  keys: {
    type: { of: 'text', read: ({ type }) => type },
    run: { of: 'text', read: ({ run_id }) => run_id },
    thread: { of: 'text', read: ({ thread_id }) => thread_id },
    tool: { of: 'text', read: ({ data }) => (typeof data.name === 'string' ? data.name : null) },
    step: { of: 'number', read: ({ step }) => step },
    seq: { of: 'number', read: ({ seq }) => seq },
    age: { of: 'age', read: ({ timestamp_ms }) => timestamp_ms },
  },
};
