import { openSync, writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { openPostgresStore } from '../../server/store/postgres/store.ts';
import { batchOf } from './batches.ts';

// A node of the faults: counts batch after batch until it is asked to end, and writes down before each that it is sent, and
// after it that it was acknowledged. A batch that was refused is sent again, as a site's server would do.

/** Its parameters. */
export interface FaultyNode {
  url: string;
  node: number;
  /** Where it writes down. */
  journal: string;
}

const lanes = 3;

const { url, node, journal } = JSON.parse(process.argv[2] as string) as FaultyNode;
const file = openSync(journal, 'a');
const store = await openPostgresStore(url, { opener: 'server' });
let last = 0;
let isOver = false;
process.once('SIGTERM', () => {
  isOver = true;
});

async function count(number: number): Promise<void> {
  writeSync(file, `sent ${number}\n`);
  for (;;) {
    try {
      const refused = await store.countViews(batchOf(node, number), []);
      if (refused.length > 0) throw new RangeError('The day is closed.');
      writeSync(file, `acknowledged ${number}\n`);
      return;
    } catch (error) {
      if (error instanceof RangeError || (error as { code?: string }).code !== 'unavailable') throw error;
      await pause(50);
    }
  }
}

async function lane(): Promise<void> {
  while (!isOver) await count(++last);
}

process.stdout.write('counting\n');
await Promise.all(Array.from({ length: lanes }, lane));
await store.close();
