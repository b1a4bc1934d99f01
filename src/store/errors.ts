/** The errors of the folder that its callers may want to tell apart. `StoreBroken` belongs to the port itself. */

/** Nothing was opened: another process, or this one, has the directory open. */
export class StoreLocked extends Error {
  override readonly name = 'StoreLocked';
  constructor(
    readonly directory: string,
    options?: ErrorOptions,
  ) {
    super(`${directory} is in use by another process: one server at a time can open a data directory`, options);
  }
}

/** Nothing was opened and nothing made: the directory holds no store. */
export class StoreMissing extends Error {
  override readonly name = 'StoreMissing';
  constructor(
    readonly directory: string,
    options?: ErrorOptions,
  ) {
    super(`${directory} holds no data of a server`, options);
  }
}

/** Nothing was opened: the directory cannot be made, or this process may not write to it. */
export class DirectoryUnusable extends Error {
  override readonly name = 'DirectoryUnusable';
  constructor(
    readonly directory: string,
    options: { cause: unknown },
  ) {
    super(`${directory} cannot be used as data directory: ${(options.cause as Error).message}`, options);
  }
}

/** Nothing was written: there is something where the copy was to go. */
export class DirectoryInUse extends Error {
  override readonly name = 'DirectoryInUse';
  constructor(
    readonly directory: string,
    options?: ErrorOptions,
  ) {
    super(`${directory} is not empty`, options);
  }
}

/** Nothing was opened and nothing changed: these are not data this version can read. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
  constructor(
    readonly reason: 'newer' | 'foreign' | 'other_engine',
    message: string,
  ) {
    super(message);
  }
}

/** A log in the store is not what was committed: the rows read contradict each other. Nothing of it may be shown. */
export class LogCorrupt extends Error {
  override readonly name = 'LogCorrupt';
}

/** Writes that were acknowledged are gone from the disk: the process holds state that no longer exists and must end. */
export class AcknowledgedWritesLost extends Error {
  override readonly name = 'AcknowledgedWritesLost';
}
