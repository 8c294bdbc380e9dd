import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { chmod, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AddedProject } from '../../server/operations/projects.ts';
import { Secrets } from '../../server/projects/secrets.ts';
import { openSqliteStore } from '../../server/store/sqlite/store.ts';
import { projectCommands } from '../support/commands/project-commands.ts';

const token = 'ghp_Zu5fLz0nXqg7wJ1sEoVb4TkDmCpRyHiA96N2';
const pem = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  type: 'pkcs1',
  format: 'pem',
}) as string;

const { home, run, set, mustSet } = projectCommands();

/** As the runner does. */
async function readSecrets(secretKey: Buffer | null = null): Promise<object> {
  const store = await openSqliteStore(home.dataDir);
  try {
    return await new Secrets({ store, dataDir: home.dataDir, secretKey }).read(home.projectId);
  } finally {
    await store.close();
  }
}

describe('the key file', () => {
  test('is what secrets are readable with, and where it is missing or open to others, that is said in words', async () => {
    const keyFile = join(home.dataDir, 'secret.key');
    await mustSet(['--forge-token-stdin', '--remove-github-app-key'], token);
    await rename(keyFile, join(home.folder, 'aside'));
    await expect(readSecrets()).rejects.toThrow(
      /key file .*secret\.key is missing: restore .*--forge-token-stdin/,
    );
    await mustSet(['--github-app-key-stdin'], pem);
    await expect(readSecrets()).rejects.toThrow(/forgeToken of project .* cannot be decrypted/);
    await mustSet(['--remove-github-app-key']);
    await rename(join(home.folder, 'aside'), keyFile);
    expect(await readSecrets()).toEqual({ forgeToken: token });
    await chmod(keyFile, 0o644);
    await expect(readSecrets()).rejects.toThrow(/can be read by others: .*chmod 600/);
    const refused = await set(['--forge-token-stdin'], token);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^The key file .*chmod 600.*\n$/),
    ]);
    await chmod(keyFile, 0o600);
  });

  test('counts only where the environment has no key', async () => {
    const secretKey = randomBytes(32);
    const more = { HEADCOUNT_SECRET_KEY: secretKey.toString('base64') };
    await mustSet(['--forge-token-stdin'], 'by-environment', more);
    expect(await readSecrets(secretKey)).toEqual({ forgeToken: 'by-environment' });
    await expect(readSecrets()).rejects.toThrow(/with the key in .*secret\.key/);
    await expect(readSecrets(randomBytes(32))).rejects.toThrow(/with the key in HEADCOUNT_SECRET_KEY/);
  });

  test('is one where two processes need the first at once', async () => {
    const other = { HEADCOUNT_DATA_DIR: join(home.folder, 'race') };
    const added = await Promise.all(
      ['a', 'b'].map(async (name) => {
        const { stdout } = await run(['project', 'add', '--name', name, '--json'], '', other);
        return JSON.parse(stdout) as AddedProject;
      }),
    );
    const results = await Promise.all(
      added.map(({ projectId: id }) =>
        run(['project', 'set', id, '--forge-token-stdin'], `token-${id}`, other),
      ),
    );
    expect(results.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    const store = await openSqliteStore(join(home.folder, 'race'));
    const secrets = new Secrets({ store, dataDir: join(home.folder, 'race'), secretKey: null });
    for (const { projectId: id } of added)
      expect(await secrets.read(id)).toEqual({ forgeToken: `token-${id}` });
    await store.close();
    expect((await readdir(join(home.folder, 'race'))).filter((name) => name.includes('key'))).toEqual([
      'secret.key',
    ]);
  });
});
