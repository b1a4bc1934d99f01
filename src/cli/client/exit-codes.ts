/** How the tool ends. Scripts rely on these numbers: none changes its meaning. */

export const ExitCode = {
  ok: 0,
  /** A fault at run time: of the server, of the disk, of this tool. */
  failed: 1,
  /** The command line is wrong, or the command needs `-y`. Nothing was done. */
  usage: 2,
  /** No such run, thread, entry, agent or machine. */
  notFound: 3,
  /** The state of the server refuses it: the run is done, the call is not pending, the entry has left the queue. */
  conflict: 4,
  /** The token is missing, unknown, or lacks the scope. */
  notAllowed: 5,
  /** Nobody answers there, or the server is starting or stopping. */
  unreachable: 6,
  /** `--timeout` is over, or the server did not answer in time. */
  timeout: 7,
  /** The run that was watched has ended without the result it was started for. */
  runFailed: 8,
  /** The run that was watched waits for a person. */
  runWaits: 9,
  /** ctrl-c. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
