import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type Brought, bring } from './brought.ts';

// `npm run lint` and `npm run format`.
const folder = await bring(`@biomejs/cli-${process.platform}-${process.arch}` as Brought, {
  reason: 'it checks the style of the sources',
  instead: 'Run it once where npm reaches its registry.',
});
const { status } = spawnSync(join(folder, 'biome'), process.argv.slice(2), { stdio: 'inherit' });
process.exitCode = status ?? 1;
