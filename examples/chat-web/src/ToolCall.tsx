/** A tool call: what is called, how far it is, what it asks, what came of it. */

import { getToolName, type DynamicToolUIPart, type ToolUIPart } from 'ai';
import { LocationForm, LOCATION } from './client-tools';
import { progressOf, questionOf } from './parts';
import { Question } from './Question';
import type { ChatMessage } from './types';
import type { RunChat } from './use-run-chat';

type ToolPart = ToolUIPart | DynamicToolUIPart;
type Props = {
  part: ToolPart;
  message: ChatMessage;
  chat: RunChat;
  /** Answers can still reach the run. */
  open: boolean;
};

export function ToolCall({ part, message, chat, open }: Props) {
  const name = getToolName(part);
  return (
    <section className="tool" data-state={part.state} aria-label={`Tool ${name}`}>
      <header>
        <code>{name}</code>
        <span className="badge">{labels[part.state]}</span>
      </header>
      {part.input !== undefined && <pre>{shown(part.input)}</pre>}
      {part.state.startsWith('output-') || <Progress content={progressOf(message, part.toolCallId)} />}
      {open && <Ask part={part} message={message} chat={chat} />}
      <Outcome part={part} />
    </section>
  );
}

const labels: Record<ToolPart['state'], string> = {
  'input-streaming': 'being called',
  'input-available': 'running',
  'approval-requested': 'asks first',
  'approval-responded': 'answered',
  'output-available': 'done',
  'output-error': 'failed',
  'output-denied': 'denied',
};

function Progress({ content }: { content: ReturnType<typeof progressOf> }) {
  if (content?.progress === undefined) return null;
  return (
    <label className="progress">
      <progress max={1} value={content.progress} />
      <span>{content.message ?? `${Math.round(content.progress * 100)} %`}</span>
    </label>
  );
}

/** Whatever the call waits for from the person in front of the page. */
function Ask({ part, message, chat }: Omit<Props, 'open'>) {
  const answering = !chat.synced || chat.status === 'submitted' || chat.status === 'streaming';
  if (part.state === 'approval-requested') {
    const respond = (approved: boolean) => void chat.addToolApprovalResponse({ id: part.approval.id, approved });
    return (
      <div className="actions">
        <button type="button" disabled={answering} onClick={() => respond(true)}>
          Approve
        </button>
        <button type="button" disabled={answering} className="quiet" onClick={() => respond(false)}>
          Deny
        </button>
      </div>
    );
  }
  if (part.state !== 'input-available' || answering) return null;
  const question = questionOf(message, part.toolCallId);
  if (question) return <Question question={question} chat={chat} />;
  if (getToolName(part) === LOCATION) return <LocationForm toolCallId={part.toolCallId} chat={chat} />;
  return null;
}

function Outcome({ part }: { part: ToolPart }) {
  if (part.state === 'output-available') return <pre className="output">{shown(part.output)}</pre>;
  if (part.state === 'output-error') return <p className="fault">{part.errorText}</p>;
  return null;
}

/** JSON, in one line when it is short. */
function shown(value: unknown): string {
  const text = JSON.stringify(value, null, 1);
  const line = text.replace(/\n\s*/g, ' ');
  return line.length <= 80 ? line : text;
}
