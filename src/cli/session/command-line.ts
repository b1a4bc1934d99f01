/** A command as a person would type it: each argument quoted for the shell where it must be, tokens left out. Pure. */

const PLAIN = /^[\w@%+=:,./-]+$/;

const quoted = (argument: string): string =>
  PLAIN.test(argument) ? argument : `'${argument.replaceAll("'", String.raw`'\''`)}'`;

export function toCommandLine(argv: readonly string[]): string {
  const safe = argv.flatMap((argument, i) => {
    if (argument === '--token' || argv[i - 1] === '--token' || argument.startsWith('--token=')) return [];
    return [quoted(argument)];
  });
  return ['agent-server', ...safe].join(' ');
}
