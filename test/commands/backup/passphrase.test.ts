import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runHeadcount } from '../../support/child.ts';
import { type Typed, typeTo } from '../../support/commands/typist.ts';
import { makeProject, temporaryFolders } from '../../support/data-folders.ts';

const newFolder = temporaryFolders();
const passphrase = 'six random words of one’s own';
const wrong = 'seven random words';
const [first, second, again] = [
  'Passphrase for the backup: ',
  'The same once more: ',
  'Passphrase of the backup: ',
] as const;

let dataDir: string;
let file: string;

beforeAll(async () => {
  dataDir = await newFolder();
  await makeProject(dataDir);
});
beforeEach(async () => {
  file = join(await newFolder(), 'headcount.age');
});

const inFolder = (folder: string) => ({ HEADCOUNT_DATA_DIR: folder });
const chosen: Typed[] = [
  [first, `${passphrase}\r`],
  [second, `${passphrase}\r`],
];

describe('a passphrase that is asked for on a terminal', () => {
  test('encrypts a backup and opens it, and is never shown', async (context) => {
    const backup = await typeTo(context, ['backup', '--passphrase', file], inFolder(dataDir), chosen);
    expect([backup.code, backup.shown]).toEqual([0, expect.not.stringContaining('random')]);
    expect(readFileSync(file, 'latin1')).toMatch(/^age-encryption\.org\/v1\n-> scrypt /);

    const folder = await newFolder();
    const refused = await typeTo(context, ['restore', file], inFolder(folder), [[again, `${wrong}\r`]]);
    expect([refused.code, refused.shown]).toEqual([1, expect.not.stringContaining('random')]);
    expect(existsSync(join(folder, 'headcount.db'))).toBe(false);

    const restore = await typeTo(context, ['restore', file], inFolder(folder), [[again, `${passphrase}\r`]]);
    expect([restore.code, restore.shown]).toEqual([0, expect.not.stringContaining('random')]);
    const list = ['project', 'list', '--json'];
    const [there, here] = await Promise.all(
      [folder, dataDir].map(async (place) => (await runHeadcount(list, inFolder(place))).stdout),
    );
    expect(there).toBe(here);
  });

  test.for<[string, string, Typed[]]>([
    [
      'is another one the second time',
      'The two passphrases differ.',
      [
        [first, 'a\r'],
        [second, 'b\r'],
      ],
    ],
    ['is empty', 'A passphrase cannot be empty.', [[first, '\r']]],
    ['is broken off with Ctrl+C', 'Stopped.', [[first, 'a\u0003']]],
  ])('makes no backup where it %s', async ([_what, said, typed], context) => {
    const { code, shown } = await typeTo(context, ['backup', '--passphrase', file], inFolder(dataDir), typed);
    expect([code, shown]).toEqual([1, expect.stringContaining(said)]);
    expect(existsSync(file)).toBe(false);
  });
});
