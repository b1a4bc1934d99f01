/**
 * The thread's state as a tool sees it (`ctx.state`): read at once, changed by a commit of its own, told to the run's
 * readers as a `state_delta`. A call that is over changes nothing any more.
 */

import { createPatch } from 'rfc6902';
import type { ToolState } from '../../agents/types.js';
import type { JsonObject, JsonValue } from '../../json.js';
import { cellKey, runOf } from '../host/apply.js';
import type { EffectAddress } from '../host/inbox.js';
import { appendEvent } from '../host/recorder.js';
import type { ThreadHost } from '../host/thread-host.js';
import { mergePatch } from '../merge-patch.js';

export const threadState = (host: ThreadHost, { path, fx, token }: EffectAddress): ToolState => ({
  get: () => structuredClone(host.cells.get('state') ?? {}),
  merge: (patch) =>
    host.request((draft) => {
      if (draft.get(cellKey(path))?.fx[fx]?.token !== token)
        throw new Error('this call is over: the state was not changed');
      const before = draft.get('state') ?? {};
      const after = mergePatch(before, patch) as JsonObject;
      const delta = createPatch(before, after) as unknown as JsonValue;
      if (Array.isArray(delta) && delta.length > 0) {
        draft.set('state', after);
        appendEvent(draft, runOf(path), 'state_delta', { delta });
      }
      return () => structuredClone(after);
    }),
});
