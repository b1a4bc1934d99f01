/**
 * The list of conversations: the server's, newest first, with what only this browser knows (whom each is with, and those
 * that have no message yet). Without the server's list, the browser's own.
 */

import { useCallback, useEffect, useState } from 'react';
import { readSummaries, type Summary } from './api';
import type { Thread } from './types';

const KEY = 'chat-web.threads';
const KEPT = 50;
export const DEFAULT_AGENT = 'assistant';

export type Threads = {
  list: Thread[];
  /** Puts a thread in front, with what is known of it now. */
  touch(thread: Thread): void;
  /** Asks the server again. */
  refresh(): void;
};

export function useThreads(): Threads {
  const [own, setOwn] = useState(load);
  const [summaries, setSummaries] = useState<Summary[] | null>(null);
  const refresh = useCallback(() => void readSummaries().then(setSummaries), []);
  useEffect(refresh, [refresh]);
  const touch = useCallback((thread: Thread) => {
    setOwn((before) => {
      const after = [thread, ...before.filter(({ id }) => id !== thread.id)].slice(0, KEPT);
      localStorage.setItem(KEY, JSON.stringify(after));
      return after;
    });
  }, []);
  return { list: merge(own, summaries), touch, refresh };
}

function load(): Thread[] {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '[]') as Thread[];
  } catch {
    return [];
  }
}

function merge(own: Thread[], summaries: Summary[] | null): Thread[] {
  if (!summaries) return own;
  const mine = new Map(own.map((thread) => [thread.id, thread]));
  const known = summaries.map(({ id, title, last_message }) => ({
    id,
    agent: mine.get(id)?.agent ?? DEFAULT_AGENT,
    title: title ?? mine.get(id)?.title ?? last_message?.content ?? id,
  }));
  const ids = new Set(summaries.map(({ id }) => id));
  return [...own.filter(({ id }) => !ids.has(id)), ...known];
}

export const newThread = (agent: string): Thread => ({ id: crypto.randomUUID(), agent, title: '' });
