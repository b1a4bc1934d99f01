/**
 * Push notifications, as the engine knows them: who is to be told of a run's changes, what is told, and what becomes of
 * what cannot be told. How a notification looks and travels is the business of whoever hands in `DeliverPush`.
 *
 * Told are the changes of a run's state: it begins, waits, goes on, ends. Each is written in the commit of the change and
 * told at least once after it, in order for one receiver; `delivery_id` is the same for every attempt.
 */

import type { Suspension } from '../events.js';
import type { RunRecord } from '../records.js';

/** Somebody who is told. `token` and `credentials` are secrets: they go to the receiver and nowhere else. */
export type PushConfig = {
  /** The caller's, unique within the run. */
  id: string;
  url: string;
  token: string | null;
  authentication: { scheme: string; credentials: string } | null;
  /** The version of A2A that the receiver speaks. */
  version: '1.0' | '0.3';
};

/** What has changed, as it was then. */
export type PushNews = {
  /** Unix milliseconds. */
  at: number;
  /** Sequence number of the event that changed it. */
  seq: number;
  run: RunRecord;
  /** What the run waits for. */
  pending: Suspension[];
  /** What the run said in the end, if it said anything, and in which message. */
  response: { message_id: string; text: string } | null;
};

export type PushDelivery = { delivery_id: string; config: PushConfig; news: PushNews };

/**
 * Tells one receiver. Resolves when it has taken the news; rejects otherwise, with `PushRefused` when no repetition would
 * help. The message of what it rejects with is kept for operators, so it holds no secret.
 */
export type DeliverPush = (delivery: PushDelivery) => Promise<void>;

/** It will not be taken: the address is none that may be told, or the receiver is gone for good. */
export class PushRefused extends Error {
  override readonly name = 'PushRefused';
}

/** A notification on its way. */
export type PushErrand = {
  rno: number;
  config_id: string;
  delivery_id: string;
  news: PushNews;
  /** Unix milliseconds of the first attempt's turn; what `MAX_AGE_MS` counts from. */
  since: number;
  /** Unix milliseconds of the next attempt. */
  due: number;
  attempts: number;
  last_error: string | null;
};

/** A notification that was given up, as it is kept. */
export type DeadPush = PushErrand & { died_at: number; origin: string | null };

/** A notification that was given up, as operators see it: nothing of it is secret. */
export type PushDeadLetter = {
  id: string;
  run_id: string;
  thread_id: string;
  agent_id: string;
  resource_id: string | null;
  config_id: string;
  /** Scheme and host of the receiver; null when its configuration was gone. */
  receiver: string | null;
  /** What it would have told. */
  status: RunRecord['status'];
  seq: number;
  attempts: number;
  last_error: string | null;
  created_at: number;
  died_at: number;
};
