/** A question of a call that is no approval: what became of a call that a crash cut off, or anything a tool wants to know. */

import { useState, type FormEvent } from 'react';
import type { DataParts } from './types';
import type { RunChat } from './use-run-chat';

type Props = { question: DataParts['suspension']; chat: RunChat };

export function Question({ question: { toolCallId, toolName, kind, message }, chat }: Props) {
  const output = (value: unknown) => void chat.addToolOutput({ tool: toolName, toolCallId, output: value });
  if (kind !== 'in_doubt') return <FreeText message={message} onAnswer={output} />;
  return (
    <div className="question">
      <p>{message}</p>
      <div className="actions">
        <button type="button" onClick={() => output({ status: 'it happened' })}>
          It happened
        </button>
        <button type="button" onClick={() => output({ retry: true })}>
          Do it again
        </button>
        <button
          type="button"
          className="quiet"
          onClick={() =>
            void chat.addToolOutput({
              state: 'output-error',
              tool: toolName,
              toolCallId,
              errorText: 'it did not happen',
            })
          }
        >
          It did not
        </button>
      </div>
    </div>
  );
}

export function FreeText({ message, onAnswer }: { message: string; onAnswer(text: string): void }) {
  const [text, setText] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') onAnswer(text.trim());
  };
  return (
    <form className="question" onSubmit={submit}>
      <label>
        {message}
        <input value={text} onChange={(event) => setText(event.target.value)} />
      </label>
      <button type="submit">Answer</button>
    </form>
  );
}
