import { expect, test } from 'vitest';
import fc from '../../test/support/property.js';
import { derivedId } from './derived-id.js';

test('a derived id is a UUID of version 8', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (causes) => {
      expect(derivedId(...causes)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }),
  );
});

test('the same causes name the same thing, also in another process', () => {
  expect(derivedId('run', 'call', 'child run')).toBe(derivedId('run', 'call', 'child run'));
  expect(derivedId('run', 'call', 'child run')).toBe('3bcddf49-1734-88c9-8f32-77efae6bb82e');
});

test('other causes name other things, however they are cut', () => {
  const ids = [['ab', 'c'], ['a', 'bc'], ['abc'], ['abc', ''], ['', 'abc'], ['1:a'], ['a'], []].map((causes) =>
    derivedId(...causes),
  );
  expect(new Set(ids).size).toBe(ids.length);
});
