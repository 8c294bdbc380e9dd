import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolders } from '../support/data-folders.ts';

const newFolder = temporaryFolders();
const run = promisify(execFile);
const script = join(import.meta.dirname, 'catalogue.check.ts');

test('the public lists that come with the tests have no AI client that the catalogue neither has nor declines', async () => {
  const { stdout } = await run(process.execPath, [script]);
  expect(stdout).toMatch(/^crawler-user-agents: \d+ AI clients, 0 of them new\.$/m);
  expect(stdout).toMatch(/^ai\.robots\.txt: \d+ AI clients, 0 of them new\.$/m);
});

test.each([
  ['a list of names', 'GPTBot\nFreshCrawler # a new one\n'],
  ['a robots.txt', 'User-agent: *\nUser-agent: gptbot\nUser-agent: FreshCrawler\nDisallow: /\n'],
])('%s is compared, too, and what is new in it ends the check with 1', async (_, text) => {
  const file = join(await newFolder(), 'list.txt');
  await writeFile(file, text);
  const failed = run(process.execPath, [script, '--file', file]);
  await expect(failed).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^new in .*list\.txt: FreshCrawler/m),
  });
  await expect(failed).rejects.toMatchObject({ stdout: expect.stringContaining('1 of them new') });
});
