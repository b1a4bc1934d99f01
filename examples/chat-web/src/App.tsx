/** The frame: the conversations, and the one that the address names (`#<agent>/<thread>`). */

import { useCallback, useEffect, useState } from 'react';
import { Chat } from './Chat';
import { DEFAULT_AGENT, newThread, useThreads } from './threads';
import type { Thread } from './types';

const hashOf = ({ agent, id }: Thread): string => `#${encodeURIComponent(agent)}/${encodeURIComponent(id)}`;

function threadInHash(): Thread | undefined {
  const [agent, id] = location.hash.slice(1).split('/').map(decodeURIComponent);
  return agent && id ? { agent, id, title: '' } : undefined;
}

export function App() {
  const { list, touch, refresh } = useThreads();
  const [open, setOpen] = useState(() => threadInHash() ?? newThread(DEFAULT_AGENT));

  useEffect(() => {
    const follow = () => setOpen((now) => threadInHash() ?? now);
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  useEffect(() => history.replaceState(null, '', hashOf(open)), [open]);

  const said = useCallback(
    (text: string) => {
      const title = list.find(({ id }) => id === open.id)?.title || text.slice(0, 80);
      touch({ ...open, title });
    },
    [list, open, touch],
  );

  return (
    <div className="app">
      <nav className="sidebar" aria-label="Conversations">
        <h1>agent-server</h1>
        <button type="button" className="new" onClick={() => setOpen(newThread(open.agent))}>
          New conversation
        </button>
        <ul>
          {list.map((thread) => (
            <li key={thread.id}>
              <a href={hashOf(thread)} aria-current={thread.id === open.id ? 'page' : undefined}>
                {thread.title || 'Untitled'}
                <small>{thread.agent}</small>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <Chat
        key={`${open.agent}/${open.id}`}
        thread={open}
        onAgent={(agent) => setOpen(newThread(agent))}
        onSaid={said}
        onSettled={refresh}
      />
    </div>
  );
}
