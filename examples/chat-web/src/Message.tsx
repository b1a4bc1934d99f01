/** One message: its text, its tool calls, and how it ended when not by itself. */

import { isToolUIPart } from 'ai';
import { visibleParts } from './parts';
import { ToolCall } from './ToolCall';
import type { ChatMessage } from './types';
import type { RunChat } from './use-run-chat';

type Props = { message: ChatMessage; chat: RunChat; last: boolean };

export function Message({ message, chat, last }: Props) {
  const { role, metadata } = message;
  const open = last && !metadata?.termination;
  return (
    <article className={`message ${role}`} aria-label={role === 'user' ? 'You' : 'Agent'}>
      {visibleParts(message).map((part, i) => {
        if (part.type === 'text') return part.text !== '' && <p key={i}>{part.text}</p>;
        if (part.type === 'reasoning') {
          return (
            <details key={i} className="reasoning">
              <summary>Thoughts</summary>
              <p>{part.text}</p>
            </details>
          );
        }
        if (!isToolUIPart(part)) return null;
        return <ToolCall key={part.toolCallId} part={part} message={message} chat={chat} open={open} />;
      })}
      {metadata?.termination && <p className="termination">Stopped: {metadata.termination.replaceAll('_', ' ')}</p>}
    </article>
  );
}
