import { execFile } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const home = join(import.meta.dirname, '..');

/** When each file was written that a server serves. */
function written(): Record<string, number> {
  const files = globSync('dist/{*.js,*.tgz,*.bin,dashboard/**,client/**,connect/**}', { cwd: home });
  return Object.fromEntries(files.map((file) => [file, statSync(join(home, file)).mtimeMs]));
}

test('what is built already is not built again by the next start', async () => {
  const before = written();
  expect(Object.keys(before)).toEqual(expect.arrayContaining(['dist/hc.js', 'dist/countries.bin']));
  // What `npm start` begins with; `npm test` has built.
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['build.mjs'], { cwd: home });
  expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
  expect(written()).toEqual(before);
});
