import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { discreet } from './discreet-logger.js';
import { keepSecret } from './redact.js';

function open(): { log: ReturnType<typeof discreet>; last: () => Record<string, unknown> } {
  const lines: string[] = [];
  const log = discreet(pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }));
  return { log, last: () => JSON.parse(lines.at(-1)!) as Record<string, unknown> };
}

describe('a discreet logger', () => {
  it('leaves fields that are no secret as they are', () => {
    const { log, last } = open();
    log.info({ run_id: 'r', n: 1, list: [1, { a: null }] }, 'hello');
    expect(last()).toMatchObject({ run_id: 'r', n: 1, list: [1, { a: null }], msg: 'hello', level: 30 });
  });

  it('hides what is named as a secret, however deep', () => {
    const { log, last } = open();
    log.info({ arguments: { user: 'u', api_key: 'k', nested: [{ Password: 'p' }] } }, '');
    expect(last().arguments).toEqual({
      user: 'u',
      api_key: '[redacted]',
      nested: [{ Password: '[redacted]' }],
    });
  });

  it('hides known secrets in errors, their stacks and what they carry', () => {
    keepSecret('discreet-test-secret');
    const { log, last } = open();
    const cause = new Error('because of discreet-test-secret');
    log.error(
      { err: Object.assign(new Error('discreet-test-secret', { cause }), { responseHeaders: { cookie: 'c' } }) },
      '',
    );
    const { err } = last() as { err: { type: string; message: string; stack: string } };
    expect(err).toMatchObject({ type: 'Error', responseHeaders: { cookie: '[redacted]' } });
    expect(err.stack).toContain('discreet-logger.test');
    expect(JSON.stringify(last())).not.toContain('discreet-test-secret');
  });

  it('writes what is not JSON', () => {
    const { log, last } = open();
    const circle: { self?: unknown } = {};
    circle.self = circle;
    log.info({ circle }, 'still here');
    expect(last().msg).toBe('still here');
  });

  it('goes on with the levels of the logger', () => {
    const lines: string[] = [];
    const log = discreet(pino({ level: 'error' }, { write: (line: string) => void lines.push(line) }));
    log.info('no');
    expect([lines, log.isLevelEnabled('debug')]).toEqual([[], false]);
  });
});
