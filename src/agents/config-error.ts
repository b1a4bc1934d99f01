/**
 * A configuration that can never work. The server does not start (exit 2, CONTRACT 11); nothing was opened or changed.
 *
 * `problems` are complete one-line sentences that name the path of the fault, all that were found, not just the first.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(
    readonly problems: readonly string[],
    options?: ErrorOptions,
  ) {
    super(problems.join('\n'), options);
  }
}
