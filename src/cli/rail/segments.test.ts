/** Cells: what is measured is what is drawn, whatever text comes from outside. */

import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import fc from '../../../test/support/property.js';
import { cells, clip, clipLine, harmless, padLine, segment, startOf, widthOf } from './segments.js';
import { toPlain } from './render.js';

/** Texts of many scripts, and of what is harmful in them. */
const odd = fc.constantFrom(
  ...['\x1b[31m', '\x1b]0;x\x07', '\x9b2J', '\r\n', '\t', '\0', '\u202e', '\u200b', '\u00ad', '\ufeff', '\ud800'],
  ...[
    '1\ufe0f\u20e3',
    '©\ufe0f',
    '👩‍👩‍👧',
    '🇩🇪',
    'e\u0301',
    'か\u3099',
    'ｶﾞ',
    '한',
    '\u1112\u1161',
    'ก็',
    'कि',
    '日本',
    'жы',
  ],
);
const texts = fc
  .array(fc.oneof(odd, fc.string({ maxLength: 5 }), fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 12 })
  .map((parts) => parts.join(''));
const widths = fc.integer({ min: 0, max: 30 });

describe('cells', () => {
  it('are those of what is drawn', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(cells(text)).toBe(stringWidth(harmless(text)));
      }),
    );
  });

  it('are taken by each character that would be obeyed, or not be seen', () => {
    expect(cells('\x1b[31mred')).toBe(8);
    expect(harmless('a\u202eb\u200bc\u00add\ud800e\nf')).toBe('a·b·c·d·e f');
    expect(harmless('👩‍👩‍👧 می\u200cخواهم 1\ufe0f\u20e3')).toBe('👩‍👩‍👧 می\u200cخواهم 1\ufe0f\u20e3');
  });
});

describe('a text that is cut', () => {
  it('is a start of it, whole letters, and as much as fits', () => {
    fc.assert(
      fc.property(texts, widths, (text, width) => {
        const start = startOf(text, width);
        expect(text.startsWith(start)).toBe(true);
        expect(cells(start)).toBeLessThanOrEqual(width);
        expect(cells(clip(text, width))).toBeLessThanOrEqual(width);
        if (cells(text) <= width) expect(clip(text, width)).toBe(text);
      }),
    );
    expect(startOf('e\u0301e\u0301👩‍👩‍👧', 3)).toBe('e\u0301e\u0301');
  });

  it('is a line of exactly so many cells, as drawn', () => {
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 4 }), widths, (parts, width) => {
        const line = padLine(
          parts.map((text) => segment(text)),
          width,
        );
        expect(widthOf(line)).toBe(width);
        expect(cells(toPlain([...line, segment('|')]))).toBe(width + 1);
      }),
    );
  });

  it('takes no longer when it is long', () => {
    const line = ['日本', 'ก็', 'x\u0301'].map((letter) => segment(letter.repeat(1_000_000)));
    for (let i = 0; i < 100; i++) expect(widthOf(clipLine(line, 81))).toBe(81);
  });
});
