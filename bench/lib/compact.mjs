/** Compacts one LevelDB store from end to end: `node compact.mjs DIRECTORY`. Nobody else may have it open. */

import { ClassicLevel } from 'classic-level';

const [directory] = process.argv.slice(2);
if (!directory) throw new Error('usage: compact.mjs DIRECTORY');

/** @type {ClassicLevel<Buffer, Buffer>} */
const db = new ClassicLevel(directory, { keyEncoding: 'buffer', valueEncoding: 'buffer', createIfMissing: false });
await db.open();
await db.compactRange(Buffer.from([0]), Buffer.alloc(64, 0xff));
await db.close();
