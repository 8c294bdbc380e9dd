import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { expect, test } from 'vitest';
import { runHere } from '../support/commands/command.ts';
import { temporaryFolders } from '../support/data-folders.ts';
import { catalogueText } from '../support/identity/signed-catalogue.ts';

const newFolder = temporaryFolders();

/** Runs a command with a file of each mode, and answers what it says of who can read it. */
async function warningsFor(
  text: string,
  run: (file: string) => Promise<{ stderr: string }>,
  modes = Object.keys(expected),
) {
  const file = join(await newFolder(), 'secret');
  const warnings: Record<string, boolean> = {};
  for (const mode of modes) {
    writeFileSync(file, text);
    chmodSync(file, mode);
    const { stderr } = await run(file);
    warnings[mode] = stderr.includes(
      `warn Others can read the file ${file} (mode ${mode}), which holds a secret: "chmod 600 ${file}".`,
    );
    chmodSync(file, 0o600);
  }
  return warnings;
}

const expected = { 600: false, 400: false, 640: true, 644: true };
/** Where each run takes a second to make a key of a passphrase. */
const [few, expectedOfFew] = [['600', '644'], { 600: false, 644: true }];

test('a file with a secret that others can read is warned of, whichever command reads it', async () => {
  const folder = await newFolder();
  const env = { HEADCOUNT_DATA_DIR: folder };
  await runHere(['project', 'add', '--name', 'Docs'], env);
  const backup = join(folder, 'copy.age');
  expect(
    await warningsFor(
      'correct horse\n',
      (file) => runHere(['backup', backup, '--overwrite', '--passphrase-file', file], env),
      few,
    ),
  ).toEqual(expectedOfFew);
  expect(
    await warningsFor(
      'correct horse\n',
      async (file) =>
        runHere(['restore', backup, '--passphrase-file', file], { HEADCOUNT_DATA_DIR: await newFolder() }),
      few,
    ),
  ).toEqual(expectedOfFew);

  const identity = await generateIdentity();
  const recipients = join(folder, 'recipients');
  writeFileSync(recipients, `${await identityToRecipient(identity)}\n`, { mode: 0o644 });
  const made = await runHere(['backup', backup, '--overwrite', '--recipients-file', recipients], env);
  expect([made.code, made.stderr]).toEqual([0, expect.not.stringContaining('Others can read')]);
  expect(
    await warningsFor(`${identity}\n`, async (file) =>
      runHere(['restore', backup, '--identity-file', file], { HEADCOUNT_DATA_DIR: await newFolder() }),
    ),
  ).toEqual(expected);

  const address = 'postgres://user:password@127.0.0.1:1/none\n';
  expect(
    await warningsFor(address, (file) => runHere(['move', '--to', 'postgres', '--url-file', file], env)),
  ).toEqual(expected);
  const catalogue = join(folder, 'catalogue.json');
  writeFileSync(catalogue, catalogueText());
  expect(
    await warningsFor('no key', (file) =>
      runHere(['catalogue', 'sign', catalogue, '--key', file, '--out', join(folder, 'signed')], env),
    ),
  ).toEqual(expected);
});
