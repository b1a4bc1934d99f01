import { expect, it } from 'vitest';
import fc from '../../../test/support/property.js';
import { cells, span } from '../rail/index.js';
import { bar, bytes, millis, shortId, sparkline, wrapText } from './format.js';

it('says sizes and times in few digits', () => {
  expect([0, 999, 1_500, 212e6, 1.94e9].map(bytes)).toEqual(['0 B', '999 B', '1.5 kB', '212 MB', '1.9 GB']);
  expect([null, 0.4, 12.6, 95_000].map(millis)).toEqual(['–', '0.4 ms', '13 ms', '95 s']);
  expect([0, 59_999, 252_000, 11_040_000, 273_600_000, -5].map(span)).toEqual([
    '0s',
    '59s',
    '4m12',
    '3h04',
    '3d4h',
    '0s',
  ]);
});

it('shortens ids in their middle, never beyond the width', () => {
  expect(shortId('01a1fd45-5097-76e4-be34-8e24da6e8220')).toBe('01a1…8220');
  expect(shortId('th-91ab')).toBe('th-91ab');
  fc.assert(
    fc.property(
      fc.string(),
      fc.integer({ min: 2, max: 40 }),
      (id, width) =>
        cells(shortId(id, width)) <= Math.max(width, cells(id)) && shortId(id, width).length <= Math.max(width, 1),
    ),
  );
});

it('draws shares and histories in so many cells', () => {
  expect([bar(0, 4), bar(0.5, 4), bar(1, 4), bar(2, 4), bar(0.3, 4)]).toEqual(['    ', '██  ', '████', '████', '█▏  ']);
  expect(sparkline([0, 1, 2, 4, 8], 8)).toBe('   ▁▂▃▅█');
  expect(sparkline([], 3)).toBe('   ');
  expect(sparkline([0, 0], 2)).toBe('▁▁');
});

it('wraps long texts of scripts without blanks', () => {
  const lines = wrapText(`見よ ${'日本'.repeat(20_000)} 。`, 100);
  expect(lines).toHaveLength(1 + 800 + 1);
});

it('wraps without losing a letter', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '東') }),
      fc.integer({ min: 2, max: 20 }),
      (text, width) => {
        const lines = wrapText(text, width);
        expect(lines.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
        for (const line of lines) expect(cells(line.trimEnd())).toBeLessThanOrEqual(width);
      },
    ),
  );
});
