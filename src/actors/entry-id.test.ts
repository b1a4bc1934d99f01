import { expect, it } from 'vitest';
import { validate, version } from 'uuid';
import { MAX_ORDINAL } from '../store/keys.js';
import { entryIdFor, ordinalIn } from './entry-id.js';

it.each([0, 1, 4711, MAX_ORDINAL])('gives an entry an id like all others that leads to run %i', (rno) => {
  const id = entryIdFor(rno);
  expect(validate(id)).toBe(true);
  expect(version(id)).toBe(7);
  expect(ordinalIn(id)).toBe(rno);
});

it('gives two entries two ids', () => {
  expect(entryIdFor(1)).not.toBe(entryIdFor(2));
});

it.each(['', 'run-1', `${entryIdFor(1)}0`, entryIdFor(1).toUpperCase().replace(/\d/g, 'G')])(
  'finds nothing in %j',
  (id) => {
    expect(ordinalIn(id)).toBeUndefined();
  },
);
