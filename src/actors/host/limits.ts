/** The bounds of the runtime (DESIGN "Bounds", CONTRACT 1.13 and 1.16). Milliseconds and bytes. */
export type RuntimeLimits = {
  /** Runs that may be running at once in the process. */
  max_running: number;
  /** Runs that may be running at once on the models of a provider, by its name; no entry: no bound. */
  provider_limits: Readonly<Record<string, number>>;
  /** Threads kept in memory while nothing happens on them. */
  hot_threads: number;
  /** Uncommitted deltas of one thread before its producers have to wait. */
  inbox_bytes: number;
  /** Queued mailbox entries of one thread before starts are refused with 429. */
  mailbox_entries: number;
  /** Uncommitted bytes of the process before starts are refused with 503. */
  uncommitted_bytes: number;
  /** Chunks of an active run kept for its readers. */
  feed_chunks: number;
  /** Time a cancelled run waits for its running tools. */
  cancel_ms: number;
  /** First back-off after a retryable provider error. */
  retry_ms: number;
  /** Silence of a provider after which its call has failed. */
  model_idle_ms: number;
  /** Time one tool execution may take, unless the tool says otherwise. */
  tool_timeout_ms: number;
};

export const defaultLimits: RuntimeLimits = {
  max_running: 256,
  provider_limits: {},
  hot_threads: 1024,
  inbox_bytes: 256 * 1024,
  mailbox_entries: 1000,
  uncommitted_bytes: 64 * 1024 * 1024,
  feed_chunks: 64,
  cancel_ms: 10_000,
  retry_ms: 500,
  model_idle_ms: 120_000,
  tool_timeout_ms: 300_000,
};
