/**
 * Tools the page itself executes. A call waits on the server until its answer comes, also across reloads, so calls are
 * found in the messages and not by the event of their arrival.
 */

import { getToolName, isToolUIPart } from 'ai';
import { useEffect } from 'react';
import { FreeText } from './Question';
import type { RunChat } from './use-run-chat';

/** Answered by the page alone. */
const BACKGROUND = 'set_background';
/** Answered by the user: `LocationForm`. */
export const LOCATION = 'get_location';

/** Answers calls of tools that need nobody, as soon as the run waits for them. */
export function useClientTools({ synced, status, messages, addToolOutput }: RunChat): void {
  useEffect(() => {
    const last = messages.at(-1);
    if (!synced || status !== 'ready' || last?.role !== 'assistant' || last.metadata?.termination) return;
    for (const part of last.parts) {
      if (!isToolUIPart(part) || part.state !== 'input-available' || getToolName(part) !== BACKGROUND) continue;
      const { color } = part.input as { color: string };
      document.documentElement.style.setProperty('--paint', color);
      void addToolOutput({ tool: BACKGROUND, toolCallId: part.toolCallId, output: { painted: color } });
    }
  }, [synced, status, messages, addToolOutput]);
}

export function LocationForm({ toolCallId, chat }: { toolCallId: string; chat: RunChat }) {
  const answer = (place: string) => void chat.addToolOutput({ tool: LOCATION, toolCallId, output: { place } });
  return <FreeText message="Where are you?" onAnswer={answer} />;
}
