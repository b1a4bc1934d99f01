import { describe, expect, it } from 'vitest';
import { isLoopback } from './gate.js';

describe('isLoopback', () => {
  it.each(['localhost', 'LOCALHOST', 'app.localhost', 'localhost.', '127.0.0.1', '127.255.0.9', '::1', '[::1]'])(
    'takes %s',
    (name) => expect(isLoopback(name)).toBe(true),
  );

  it.each([
    '',
    'localhost.evil.example',
    'evil-localhost',
    '127.0.0.1.evil.example',
    '127.0.0.256',
    '127.1',
    '128.0.0.1',
    '::',
    '0.0.0.0',
    '[::2]',
  ])('refuses %j', (name) => expect(isLoopback(name)).toBe(false));
});
