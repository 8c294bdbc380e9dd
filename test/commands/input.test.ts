import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Terminal } from '../../server/commands/terminal/command.ts';
import { withInput } from '../../server/commands/terminal/input.ts';
import { temporaryFolders } from '../support/data-folders.ts';

const newFolder = temporaryFolders();

// A file that is left before its end takes a moment to close.
test('what a reader says against a file is told, and the file is closed', async () => {
  const path = join(await newFolder(), 'input');
  await writeFile(path, 'Dear diary,\n'.repeat(100_000));
  const refusal = new Error('This is a diary.');
  let isClosed = false;
  const refused = withInput(path, {} as Terminal, async (input) => {
    input.once('close', () => {
      isClosed = true;
    });
    for await (const _ of input) throw refusal;
  });
  await expect(refused).rejects.toBe(refusal);
  expect(isClosed).toBe(true);
});
