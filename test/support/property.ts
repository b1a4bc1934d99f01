/**
 * fast-check with the seed of this run of the suite: the same each time, so that a clean checkout passes or fails for what
 * is in it. `npm run properties` looks elsewhere: it takes another seed each time and says which.
 */

import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? 1) });

export default fc;

/** Inputs of a property that is worth more of them than fast-check's hundred: as many as `npm run properties` was asked for. */
export const inputs = (count: number): number => Number(process.env['PROPERTY_INPUTS'] ?? count);
