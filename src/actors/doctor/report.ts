/** What a check of a data directory says (`index.ts`). Machine-readable: fields and codes are added, none renamed. */

export const FaultCode = {
  /** A row that cannot be read, or whose key is none of this format. */
  row: 'row',
  /** An id and the record it names do not name each other. */
  name: 'name',
  /** A number is in use that will be given again. */
  ordinal: 'ordinal',
  /** A row of a thread or a run that is not there. */
  orphan: 'orphan',
  /** What a thread says of its messages, its entries or its active run is not what it has. */
  thread: 'thread',
  /** A message that is not where its thread says. */
  message: 'message',
  /** A mailbox entry without its run, or in a status that it cannot rest in. */
  entry: 'entry',
  /** An actor that this version cannot read, or that stands for nothing that is open; or one that is missing. */
  actor: 'actor',
  /** A timer without the time it is due. */
  deadline: 'deadline',
  /** What a run's record says is not what its log, its entry or its actor say. */
  run: 'run',
  /** A log that is missing, has a gap, or does not begin and end as a log does. */
  log: 'log',
  /** The state that a chunk gives to encoders is not what follows from the events in front of it. */
  enc: 'enc',
  /** A row of an index that has no counterpart, or the other way round. */
  index: 'index',
  /** A block of columns that does not agree with the records. */
  columns: 'columns',
} as const;
export type FaultCode = (typeof FaultCode)[keyof typeof FaultCode];

export type Fault = {
  code: FaultCode;
  /** What it is about: `run <id>`, `thread <id>`, or the row itself as `<family> <key in hexadecimal digits>`. */
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

const LISTED = 1_000;

/** Gathers a report. */
export class Findings {
  readonly checked: Checked = { threads: 0, runs: 0, messages: 0, entries: 0, actors: 0, logs: 0, events: 0 };
  readonly #faults: Fault[] = [];
  #more = 0;

  fault(code: FaultCode, where: string, detail: string): void {
    if (this.#faults.length < LISTED) this.#faults.push({ code, where, detail });
    else this.#more += 1;
  }

  report(): DoctorReport {
    return { v: 1, ok: this.#faults.length === 0, checked: this.checked, faults: this.#faults, more: this.#more };
  }
}
