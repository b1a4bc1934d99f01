import { describe, expect, it } from 'vitest';
import { ConfigError } from '../agents/config-error.js';
import { readLogLevel, readSettings } from './settings.js';

const file = {
  host: '127.0.0.1',
  port: 8080,
  cors_origins: [],
  body_limit: '2mb',
  auth_token_file: null,
  backup_dir: null,
};

describe('settings of serve (CONTRACT 10.3)', () => {
  it('come from the file or a default when no flag is given', () =>
    expect(readSettings({}, { ...file, port: 1, auth_token_file: 't' })).toEqual({
      data: './data',
      host: '127.0.0.1',
      port: 1,
      auth_token_file: 't',
      insecure: false,
    }));

  it('come from flags first', () =>
    expect(
      readSettings(
        { data: 'd', host: ' ::1 ', port: '0', authTokenFile: 'u', insecure: true },
        { ...file, host: 'x', auth_token_file: 't' },
      ),
    ).toEqual({ data: 'd', host: '::1', port: 0, auth_token_file: 'u', insecure: true }));

  it.each([
    [{ port: '65536' }],
    [{ port: '-1' }],
    [{ port: '1e3' }],
    [{ port: '' }],
    [{ data: '' }],
    [{ host: ' ' }],
    [{ authTokenFile: '' }],
    [{ insecure: 'maybe' }],
  ])('refuse %j', (flags) => expect(() => readSettings(flags, file)).toThrow(ConfigError));

  it.each([
    ['1', true],
    ['true', true],
    ['Yes', true],
    ['false', false],
    ['0', false],
    ['', false],
    [undefined, false],
  ])('read insecure=%j as %s', (insecure, read) => {
    expect(readSettings(insecure === undefined ? {} : { insecure }, file).insecure).toBe(read);
  });

  it('know the log levels', () => {
    expect(readLogLevel(undefined)).toBe('info');
    expect(readLogLevel('debug')).toBe('debug');
    expect(() => readLogLevel('loud')).toThrow(/expected one of trace, debug/);
  });
});
