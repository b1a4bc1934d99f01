/** A command as a person would type it: each argument quoted for the shell where it must be, tokens left out. Pure. */

const PLAIN = /^[\w@%+=:,./-]+$/;

const quoted = (argument: string): string =>
  PLAIN.test(argument) ? argument : `'${argument.replaceAll("'", String.raw`'\''`)}'`;

/** The command with one more option, which stands in front of the `--` behind which nothing is one. */
export function withOption(argv: readonly string[], option: string): string[] {
  const end = argv.indexOf('--');
  return end < 0 ? [...argv, option] : [...argv.slice(0, end), option, ...argv.slice(end)];
}

export function toCommandLine(argv: readonly string[]): string {
  const safe = argv.flatMap((argument, i) => {
    if (argument === '--token' || argv[i - 1] === '--token' || argument.startsWith('--token=')) return [];
    return [quoted(argument)];
  });
  return ['agent-server', ...safe].join(' ');
}
