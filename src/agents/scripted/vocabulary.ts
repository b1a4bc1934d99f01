/**
 * The names that the demo agents and their scripts share.
 */

export const ScriptName = {
  assistant: 'assistant',
  approver: 'approver',
  worker: 'worker',
  painter: 'painter',
  slow: 'slow',
  failing: 'failing',
} as const;
export type ScriptName = (typeof ScriptName)[keyof typeof ScriptName];

/** Tools the server executes. */
export const ServerTool = {
  /** Must not happen twice, asks first. */
  transfer: 'transfer_funds',
  /** Reports progress. */
  task: 'long_task',
  lookup: 'look_up',
  note: 'save_note',
} as const;

/** Tools a client executes. */
export const ClientTool = { background: 'set_background', location: 'get_location' } as const;
