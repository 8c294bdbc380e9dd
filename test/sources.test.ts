import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const cwd = join(import.meta.dirname, '..');

/** Beside all other tests, as `npm test` would otherwise wait for them. */
test.each(['typecheck', 'lint'])('the sources pass npm run %s', async (script) => {
  const passed = { code: 0, stdout: '', stderr: '' };
  const { code, stdout, stderr } = await run('npm', ['run', '-s', script], { cwd }).then(
    () => passed,
    (error: typeof passed) => error,
  );
  expect(code, stdout + stderr).toBe(0);
});
