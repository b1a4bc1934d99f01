import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { toCommandLine, withOption } from './command-line.js';

describe('a command line to repeat', () => {
  it('means the same to a shell', () => {
    const argv = ['runs', 'cancel', '-q', 'title="a b" age>1h', "it's", '$HOME `x` \\ !', '', 'ä\n*', '-y'];
    const script = `agent-server() { printf '%s\\0' "$@"; }; ${toCommandLine(argv)}`;
    expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)).toEqual(argv);
  });

  it('has a further option where it is one', () => {
    expect(withOption(['threads', 'delete', 't'], '-y')).toEqual(['threads', 'delete', 't', '-y']);
    expect(withOption(['threads', 'delete', '--', '-t'], '-y')).toEqual(['threads', 'delete', '-y', '--', '-t']);
  });

  it('is plain where it can be, and tells no token', () =>
    expect(toCommandLine(['runs', 'get', 'a-1', '--token', 'secret', '--token=secret', '-w'])).toBe(
      'agent-server runs get a-1 -w',
    ));
});
