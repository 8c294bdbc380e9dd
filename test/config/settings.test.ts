import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findUnknownSettings, settingGroups } from '../../server/config/settings.ts';
import { runHere } from '../support/commands/command.ts';

const settings = settingGroups.flatMap((group) => group.settings);

test('"serve --help" tells every setting, what it means and what holds without it', async () => {
  const { code, stdout } = await runHere(['serve', '--help']);
  expect(code).toBe(0);
  const told = stdout.replace(/\s+/g, ' ');
  for (const { name, meaning, standard } of settings)
    expect(told).toContain(`${name} ${meaning} (${standard})`);
  expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([]);
});

test('every setting that may hold a secret says what of it is one', () => {
  const mayHold = settings.filter(
    ({ name, meaning }) =>
      /KEY|TOKEN|SECRET|PASS|CREDENTIAL/.test(name) || /_URL$/.test(name) || /:password@/.test(meaning),
  );
  const silent = mayHold.filter(({ secretsIn }) => !secretsIn?.('postgres://name:a-secret@host/x')?.length);
  // The one is refused with a name in it, and the other has the public half of keys.
  expect(silent.map(({ name }) => name)).toEqual(['HEADCOUNT_BASE_URL', 'HEADCOUNT_CATALOGUE_KEY']);
});

test('no two settings share a name', () => {
  const names = settings.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test.each([
  [{ HEADCOUNT_OIDC_CLIENT_ID: '' }, 'also needs HEADCOUNT_OIDC_CLIENT_ID'],
  [{ HEADCOUNT_OIDC_ISSUER: 'http://login.example.com' }, 'must be an https address'],
  [{ HEADCOUNT_OIDC_ISSUER: 'https://login.example.com?x' }, 'must be an https address'],
  [{ HEADCOUNT_OIDC_LABEL: 'x'.repeat(51) }, 'a name of at most 50 characters'],
])('a start with the settings %j says what is wrong with them', async (env, says) => {
  const right = { HEADCOUNT_OIDC_ISSUER: 'https://login.example.com', HEADCOUNT_OIDC_CLIENT_ID: 'headcount' };
  const { code, stderr } = await runHere(['serve'], {
    HEADCOUNT_DATA_DIR: '/dev/null/none',
    ...right,
    ...env,
  });
  expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
});

test('the documents name no setting that does not exist', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/configuration.md'), 'utf8');
  const named = page.match(/\bHEADCOUNT_\w+/g) ?? [];
  expect(named).toContain('HEADCOUNT_NODE');
  expect(findUnknownSettings(Object.fromEntries(named.map((name) => [name, ''])))).toEqual([]);
});
