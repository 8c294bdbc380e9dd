/** Prints every promise with the tests that hold it, as Markdown: `npm run promises`. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const promises: Record<string, Record<string, string[] | string>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'promises.json'), 'utf8'),
);

for (const [subject, list] of Object.entries(promises)) {
  process.stdout.write(`## ${subject}\n\n`);
  for (const [promise, heldBy] of Object.entries(list)) {
    process.stdout.write(`- ${promise}\n`);
    for (const line of [heldBy].flat()) process.stdout.write(`  - ${line}\n`);
  }
  process.stdout.write('\n');
}
