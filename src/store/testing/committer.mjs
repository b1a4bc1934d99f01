/**
 * A process that commits through the journal as it is told, for tests that fill its disk and kill it.
 *
 *   node committer.mjs <directory> <bytes per value> <commits at a time>
 *
 * In (lines): `commit <count>` makes that many commits; `read <n>` reads the row of commit n.
 * Out (lines): `ready`, `ack <n>`, `refused <n> <code>`, `done`, `status <status>`, `row <n> <yes|no|code>`.
 * Commit n writes row n of messages 1 and 2. Runs on the built product.
 */

import { createInterface } from 'node:readline';
import { guardDirectory } from '../../../dist/store/disk.js';
import { openFormat } from '../../../dist/store/format.js';
import { Journal } from '../../../dist/store/journal.js';
import { message } from '../../../dist/store/keys.js';
import { openLevelStore } from '../../../dist/store/level.js';

const [directory, bytes, width] = process.argv.slice(2);
const say = (line) => process.stdout.write(`${line}\n`);
const MB = 1024 * 1024;

const store = await openLevelStore(`${directory}/data`, { writeBufferSize: 4 * MB });
await openFormat(store);
const disk = await guardDirectory(directory, () => store.freeBytes(), { ballast: MB, probe: MB, lowWater: 0 });
const journal = await Journal.open(store, { disk });
journal.onStatus((status) => say(`status ${status}`));

let next = 0;
async function commit(count) {
  let left = count;
  const committer = async () => {
    while (left-- > 0) {
      const n = next++;
      const value = `${n}`.padEnd(Number(bytes), '.');
      const ops = [1, 2].map((thread) => ({ type: 'put', key: message(thread, n), value }));
      await journal.commit(ops).then(
        () => say(`ack ${n}`),
        (error) => say(`refused ${n} ${error.code}`),
      );
    }
  };
  await Promise.all(Array.from({ length: Number(width) }, committer));
  say('done');
}

async function read(n) {
  const found = await store.get(message(1, n)).then(
    (value) => (value?.startsWith(`${n}.`) ? 'yes' : 'no'),
    (error) => error.code,
  );
  say(`row ${n} ${found}`);
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const [command, number] = line.split(' ');
  void { commit, read }[command](Number(number));
});
say('ready');
