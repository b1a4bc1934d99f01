/** Where the user writes. Enter sends, Shift+Enter begins a line. */

import { useState, type FormEvent, type KeyboardEvent } from 'react';

type Props = { busy: boolean; ready: boolean; onSend(text: string): void; onStop(): void };

export function Composer({ busy, ready, onSend, onStop }: Props) {
  const [text, setText] = useState('');
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (busy || !ready || text.trim() === '') return;
    onSend(text.trim());
    setText('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
  };

  return (
    <form className="composer" onSubmit={submit}>
      <textarea
        aria-label="Message"
        placeholder="Message, [[slow]], [[progress]], [[approval]]…"
        rows={2}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {busy ? (
        <button type="button" className="stop" onClick={onStop}>
          Stop
        </button>
      ) : (
        <button type="submit" disabled={!ready || text.trim() === ''}>
          Send
        </button>
      )}
    </form>
  );
}
