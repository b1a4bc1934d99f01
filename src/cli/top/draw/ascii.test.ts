import { expect, it } from 'vitest';
import { segment, widthOf } from '../../rail/index.js';
import { toAscii } from './ascii.js';

it.each([
  ['├─ ● run →…', '+- * run >~'],
  ['日本語 | é', '?????? | ?'],
  ['👨‍👩‍👧 e\u0301', '?? e'],
])('%s in ASCII takes as many cells', (text, ascii) => {
  const line = [segment(text)];
  expect(toAscii(line)).toEqual([segment(ascii)]);
  expect(widthOf(toAscii(line))).toBe(widthOf(line));
});
