import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

test('the demo goes from a prompt to a pull request and says that its model is scripted', async () => {
  const demo = join(import.meta.dirname, '..', 'demo', 'demo.ts');
  const child = spawn(process.execPath, [demo], { env: { PATH: process.env.PATH } });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);

  expect(errors).toBe('');
  expect(code).toBe(0);
  expect(output).toContain('The model is scripted');
  expect(output).toMatch(/Pull request http:\S+\/pulls\/1/);
  expect(output).toContain('+Download the archive and unpack it, or run `npm install --global teapot`.');
});
