/** What a check of a data directory says (`index.ts`). Machine-readable: fields and codes are added, none renamed. */

export const FaultCode = {
  /** A row that cannot be read, or whose key is none of this format. */
  row: 'row',
} as const;
export type FaultCode = (typeof FaultCode)[keyof typeof FaultCode];

export type Fault = {
  code: FaultCode;
  /** What it is about: `run <id>`, `thread <id>`, or the row itself. */
  where: string;
  /** What was found, in words. */
  detail: string;
};

/** How much was looked at. */
export type Checked = {
  threads: number;
  runs: number;
  messages: number;
  entries: number;
  actors: number;
  /** Logs that are there, of open and of ended runs. */
  logs: number;
  events: number;
};

export type DoctorReport = {
  v: 1;
  /** Nothing is wrong. */
  ok: boolean;
  checked: Checked;
  /** At most a thousand; `more` counts the others. */
  faults: Fault[];
  more: number;
};
