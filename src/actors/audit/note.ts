/** The record of one command, for the commit that carries the command out. */

import type { Op } from '../../store/port.js';
import type { Draft } from '../thread/draft.js';
import type { AuditTarget } from '../inspection.js';

export type Note = {
  /** The row to write; `landed` is to be called when it is durable. `about`: what is known only now. */
  row(at: number, about: AuditTarget): { op: Op; landed: () => void };
  /** The command was refused: nothing is written. */
  refused(error: unknown): void;
};

/** Puts the record into the draft. What it answers is to be called when the draft is durable. */
export function noteIn(draft: Draft, note: Note | undefined, about: AuditTarget): () => void {
  if (!note) return () => {};
  const { op, landed } = note.row(draft.at, about);
  draft.rows.push(op);
  return landed;
}

/** A request of a thread with the record of it. */
export function noted<T>(
  note: Note | undefined,
  { thread_id }: { thread_id: string },
  handle: (draft: Draft) => () => T,
): (draft: Draft) => () => T {
  return (draft) => {
    const answer = handle(draft);
    const landed = noteIn(draft, note, { thread_id });
    return () => {
      landed();
      return answer();
    };
  };
}
