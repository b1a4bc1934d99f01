/**
 * `useChat` against this server: answers are sent as soon as all are given, the page catches up with a run that goes on
 * without it, and stopping ends the run itself.
 */

import { useChat } from '@ai-sdk/react';
import { lastAssistantMessageIsCompleteWithApprovalResponses, lastAssistantMessageIsCompleteWithToolCalls } from 'ai';
import { useCallback, useEffect, useRef, useState } from 'react';
import { cancelRun, readHistory } from './api';
import { RunTransport } from './transport';
import type { ChatMessage, Thread } from './types';

export function useRunChat({ id, agent }: Thread, onSettled: () => void) {
  const [transport] = useState(() => new RunTransport(agent));
  /** Until then the page may not know all there is, so nothing is sent. */
  const [synced, setSynced] = useState(false);
  const [fault, setFault] = useState<Error>();
  const chat = useChat<ChatMessage>({
    id,
    transport,
    sendAutomaticallyWhen: (options) =>
      lastAssistantMessageIsCompleteWithToolCalls(options) ||
      lastAssistantMessageIsCompleteWithApprovalResponses(options),
    onFinish: onSettled,
  });
  const { messages, setMessages, resumeStream, clearError, stop: close } = chat;
  const newest = useRef(messages);
  newest.current = messages;

  /** Shows what the server has, and follows the message being streamed to its end. */
  const sync = useCallback(async () => {
    setFault(undefined);
    setSynced(false);
    clearError();
    try {
      setMessages(await readHistory(id));
      await resumeStream();
      // The run has ended between the two requests: its answer is history now.
      if (newest.current.at(-1)?.role === 'user') setMessages(await readHistory(id));
      setSynced(true);
    } catch (error) {
      setFault(error as Error);
    }
  }, [id, setMessages, resumeStream, clearError]);

  useEffect(() => {
    void sync();
    return () => void close(); // Closes the connection; the run goes on.
  }, [sync, close]);

  /** The stream then ends by itself. Without an answer of the server, at least the page lets go of it. */
  const stop = useCallback(async () => {
    const runId = newest.current.at(-1)?.metadata?.runId ?? transport.runId;
    const ends = runId !== undefined && (await cancelRun(runId).catch(() => false));
    if (!ends) await close();
  }, [transport, close]);

  return { ...chat, synced, error: fault ?? chat.error, sync, stop };
}

export type RunChat = ReturnType<typeof useRunChat>;
