/**
 * The thread's state as a tool sees it (`ctx.state`): read at once, changed by a commit of its own, told to the run's
 * readers (`changeState`). A call that is over changes nothing any more.
 */

import type { ToolState } from '../../agents/types.js';
import type { JsonObject } from '../../json.js';
import { cellKey, runOf } from '../thread/apply.js';
import type { EffectAddress } from '../thread/inbox.js';
import { changeState } from '../thread/recorder.js';
import type { ThreadHost } from '../thread/thread-host.js';
import { mergePatch } from '../merge-patch.js';

/** The state for one call; `merge` rejects once the call is over. */
export const threadState = (host: ThreadHost, { path, fx, token }: EffectAddress): ToolState => ({
  get: () => structuredClone(host.cells.get('state') ?? {}),
  merge: (patch) =>
    host.request((draft) => {
      if (draft.get(cellKey(path))?.fx[fx]?.token !== token)
        throw new Error('this call is over: the state was not changed');
      const after = mergePatch(draft.get('state') ?? {}, patch) as JsonObject;
      changeState(draft, runOf(path), after);
      return () => structuredClone(after);
    }),
});
