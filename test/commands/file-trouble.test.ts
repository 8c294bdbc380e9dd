import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { runHere } from '../support/commands/command.ts';
import { makeProject, temporaryFolders } from '../support/data-folders.ts';

const newFolder = temporaryFolders();
let dataDir: string;
let elsewhere: string;

beforeAll(async () => {
  [dataDir, elsewhere] = await Promise.all([newFolder(), newFolder()]);
  await makeProject(dataDir);
  await mkdir(join(elsewhere, 'folder'));
  await writeFile(join(elsewhere, 'file'), '');
});

test.each([
  [
    'backup',
    'nosuch/x',
    'nosuch/x cannot be written: there is no folder .*/nosuch. Make it, or name a file else',
  ],
  ['backup', 'file/x', 'file/x cannot be written: .*/file is not a folder. Name a file elsewhere.'],
  ['backup', 'folder', 'folder cannot be written: it is a folder. Name a file in it.'],
  [
    'restore --replace',
    'nosuch',
    'The file .*/nosuch cannot be read: there is no such file. Look at its name.',
  ],
  [
    'restore --replace',
    'file/x',
    'The file .*/file/x cannot be read: there is no such file. Look at its name.',
  ],
  ['restore --replace', 'folder', 'The file .*/folder cannot be read: it is a folder. Name a file in it.'],
  ['project import', 'nosuch', 'The file .*/nosuch cannot be read: there is no such file. Look at its name.'],
  ['backup - --passphrase-file', 'nosuch', 'The file .*/nosuch cannot be read: there is no such file.'],
])('"%s" of a file that cannot be (%s) says what to do', async (command, file, sentence) => {
  const { code, stdout, stderr } = await runHere([...command.split(' '), join(elsewhere, file)], {
    HEADCOUNT_DATA_DIR: dataDir,
  });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(new RegExp(sentence));
  expect(stderr).not.toMatch(/\bE[A-Z]{4,}\b|defect/);
});
