/** One conversation. */

import { useEffect, useRef } from 'react';
import { Composer } from './Composer';
import { Message } from './Message';
import { useClientTools } from './client-tools';
import type { Thread } from './types';
import { useRunChat } from './use-run-chat';

/** The demo agents of a server without configuration; another agent is reached by its id in the address. */
const AGENTS = ['assistant', 'approver', 'worker', 'painter', 'slow', 'failing'];

const EXAMPLES = [
  '[[slow]] Tell me more',
  '[[progress]] Sort the post',
  '[[approval]] Pay Ada',
  '[[client-tool]] Where am I?',
  '[[tools 3]] Look around',
];

type Props = {
  thread: Thread;
  onAgent(agent: string): void;
  onSaid(text: string): void;
  onSettled(): void;
};

export function Chat({ thread, onAgent, onSaid, onSettled }: Props) {
  const chat = useRunChat(thread, onSettled);
  useClientTools(chat);
  const { messages, status, error, synced } = chat;
  const busy = status === 'submitted' || status === 'streaming';
  const end = useFollowing(messages);
  const send = (text: string) => {
    onSaid(text);
    void chat.sendMessage({ text });
  };

  return (
    <main className="chat">
      <header>
        <label>
          Agent{' '}
          <select value={thread.agent} onChange={(event) => onAgent(event.target.value)}>
            {[...new Set([thread.agent, ...AGENTS])].map((agent) => (
              <option key={agent}>{agent}</option>
            ))}
          </select>
        </label>
        <span className="status" data-status={synced ? status : 'submitted'} role="status">
          {busy ? (status === 'submitted' ? 'Asked' : 'Answering') : synced ? 'Ready' : error ? 'Offline' : 'Loading'}
        </span>
      </header>

      <div className="log" role="log" aria-label="Messages" aria-busy={busy} tabIndex={0}>
        {synced && messages.length === 0 && !busy && <Welcome onPick={send} />}
        {messages.map((message, i) => (
          <Message key={message.id} message={message} chat={chat} last={i === messages.length - 1} />
        ))}
        {status === 'submitted' && <p className="waiting">…</p>}
        {error && (
          <div className="error" role="alert">
            <p>{error.message}</p>
            <button type="button" onClick={() => void chat.sync()}>
              Catch up
            </button>
          </div>
        )}
        <div ref={end} />
      </div>

      <Composer busy={busy} ready={synced} onSend={send} onStop={() => void chat.stop()} />
    </main>
  );
}

function Welcome({ onPick }: { onPick(text: string): void }) {
  return (
    <section className="welcome">
      <h2>Say something</h2>
      <p>The demo agents repeat what they are told. Words in double brackets make them do more:</p>
      <ul>
        {EXAMPLES.map((text) => (
          <li key={text}>
            <button type="button" onClick={() => onPick(text)}>
              {text}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Keeps the end in view, unless the reader has scrolled away from it. */
function useFollowing(content: unknown) {
  const end = useRef<HTMLDivElement>(null);
  const near = useRef(true);
  useEffect(() => {
    const log = end.current!.parentElement!;
    const note = () => (near.current = log.scrollHeight - log.scrollTop - log.clientHeight < 80);
    log.addEventListener('scroll', note, { passive: true });
    return () => log.removeEventListener('scroll', note);
  }, []);
  useEffect(() => {
    if (near.current) end.current!.scrollIntoView({ block: 'end' });
  }, [content]);
  return end;
}
