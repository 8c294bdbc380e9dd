// Holds what was recorded against the description: `check.ts <folder> [whole]`. Exits with 1 where something is amiss.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Description } from './description.ts';
import type { RecordedAnswer } from './record.ts';

const [, , folder = '', extent] = process.argv;

const answers = readdirSync(folder).flatMap((name) => {
  const lines = readFileSync(join(folder, name), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as RecordedAnswer);
});
const description = await Description.make();
const faults = new Set<string>();
for (const answer of answers) {
  const fault = description.faultOf(answer);
  if (fault === undefined) continue;
  const { method, target, status, by, body } = answer;
  faults.add(`${method} ${target} -> ${status}: ${fault}\n   ${body.slice(0, 300)}\n   in ${by}`);
}
const unseen = extent === 'whole' ? description.unseen() : [];
const print = (title: string, lines: string[]) => {
  if (lines.length === 0) return;
  process.exitCode = 1;
  process.stderr.write(`\n ${title}\n\n ${lines.slice(0, 50).join('\n ')}\n`);
};
print(`${faults.size} answers are not as /openapi.json describes them:`, [...faults]);
print(`${unseen.length} statuses are described, but no test has seen them:`, unseen);
