/** What nobody should send: texts, JSON values and bytes that have broken servers before. */

import type { Random } from '../../chaos/random.js';

const nested = (depth: number, open: string, inner: string, close: string): string =>
  open.repeat(depth) + inner + close.repeat(depth);

/** Texts for ids, parameters and fields. */
export const texts: readonly string[] = [
  '',
  ' ',
  '\t\n',
  'nobody',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'NaN',
  '-1',
  '0',
  '1e999',
  '9'.repeat(400),
  '-9007199254740993',
  '0x10',
  '1.5',
  'a\u0000b',
  'a\u0007b\u001b[31m',
  'line\r\nx-injected: 1',
  '\u2028\u2029',
  '\ud800',
  '\udfff\ud800',
  '\u202egnirts',
  'é'.repeat(300),
  '😀'.repeat(257),
  'x'.repeat(257),
  'x'.repeat(5000),
  '../../etc/passwd',
  '..%2f..%2f',
  '%00',
  '%zz',
  '${7*7}',
  "' OR 1=1 --",
  '<script>alert(1)</script>',
  '{"a":1}',
  '[object Object]',
  'http://169.254.169.254/',
  'token:0',
  '*',
  ',',
  ';',
  'true',
];

/** JSON texts of values that fit nowhere, or are where something else should be. */
export const jsonTexts: readonly string[] = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '1e999',
  '-1e400',
  '123456789012345678901234567890',
  '1.7976931348623157e308',
  '0.1',
  '""',
  '"x"',
  '"\\u0000"',
  '"\\ud800"',
  '[]',
  '[[]]',
  '[null]',
  '[1,"x",null,{}]',
  '{}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"a":{"__proto__":{"polluted":true}},"toJSON":1}',
  '{"length":-1,"0":"x"}',
  '{"then":"x","toString":"x","valueOf":1,"hasOwnProperty":0}',
  `"${'y'.repeat(20_000)}"`,
  nested(99, '[', '', ']'),
  nested(101, '[', '1', ']'),
  nested(3_000, '{"a":', '1', '}'),
  nested(12_000, '[', '', ']'),
];

/** Bodies that are no JSON, or no text at all. */
export const brokenBodies: readonly Buffer[] = [
  '{',
  '}',
  '{"a":}',
  '{"a":1,}',
  "{'a':1}",
  '[1,2',
  '"unfinished',
  '{"a":1}{"b":2}',
  'undefined',
  'NaN',
  '{"a":Infinity}',
  '\ufeff{}',
  ' '.repeat(5_000),
  'a=1&b=2',
  '<?xml version="1.0"?><a/>',
  '\u0000\u0000',
]
  .map((text) => Buffer.from(text))
  .concat([
    Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]),
    Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]),
    Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]),
    Buffer.from([0x1f, 0x8b, 0x08, 0x00, 0x00]),
    Buffer.alloc(300, 0xff),
  ]);

export const contentTypes: readonly string[] = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'application/json; charset=',
  'application/json;;;',
  'application/problem+json',
  'json',
  '',
  '/',
  'application/*',
  'APPLICATION/JSON; CHARSET=UTF-8',
];

export const one = <T>(random: Random, of: readonly T[]): T => of[random.between(0, of.length - 1)]!;
