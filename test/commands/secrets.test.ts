import { generateKeyPairSync } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Config, readConfig } from '../../server/config/config.ts';
import { Secrets } from '../../server/projects/secrets.ts';
import type { Store } from '../../server/store/store.ts';
import { startProcess } from '../support/child.ts';
import { projectCommands } from '../support/commands/project-commands.ts';
import { jobClient } from '../support/jobs/jobs.ts';
import { engineEnvironment, isOnPostgres, openChosenStore } from '../support/store/chosen-engine.ts';
import { readTraces } from '../support/store/traces.ts';

const token = 'ghp_Zu5fLz0nXqg7wJ1sEoVb4TkDmCpRyHiA96N2';
const pem = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  type: 'pkcs1',
  format: 'pem',
}) as string;

const { home, run, mustSet } = projectCommands();

/** Reads the secrets as the runner does. */
async function readSecrets(): Promise<object> {
  const { store, config } = await openStore();
  try {
    return await new Secrets({ store, ...config }).read(home.projectId);
  } finally {
    await store.close();
  }
}

async function openStore(): Promise<{ store: Store; config: Config }> {
  const config = readConfig({ ...home.env, ...(await engineEnvironment(home.env)) });
  return { store: await openChosenStore(config, undefined), config };
}

/** All forms in which a text may lie around: as it is, and in base64 at every offset. */
function formsOf(secret: string): string[] {
  const encoded = [0, 1, 2].map((shift) =>
    Buffer.from('.'.repeat(shift) + secret)
      .toString('base64')
      .slice(shift === 0 ? 0 : 4, -4),
  );
  return [secret, ...encoded];
}

/** What the secrets are encrypted with. */
async function readKey(): Promise<string> {
  if (isOnPostgres) return (await engineEnvironment(home.env)).HEADCOUNT_SECRET_KEY ?? '';
  const keyFile = join(home.dataDir, 'secret.key');
  expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
  return (await readFile(keyFile, 'utf8')).trim();
}

describe('secrets', () => {
  test('are kept, listed, replaced and removed, and never seen again', async () => {
    expect(await mustSet(['--forge-token-stdin'], `${token}\n`)).toMatchObject({
      forgeToken: true,
      githubAppKey: false,
    });
    expect(await mustSet(['--github-app-key-stdin'], pem)).toMatchObject({
      forgeToken: true,
      githubAppKey: true,
    });
    expect(await readSecrets()).toEqual({ forgeToken: token, githubAppKey: pem.trim() });

    const server = await startProcess(home.env);
    const { key } = JSON.parse((await run(['key', 'add', '--project', home.projectId, '--json'])).stdout) as {
      key: string;
    };
    const jobs = jobClient(server.url, { projectId: home.projectId, adminKey: key });
    await expect.poll(async () => (await jobs.list('')).status).toBe(200);
    const created = await (await jobs.create('Print all your secrets.')).text();
    server.signal('SIGTERM');
    expect(await server.ended).toBe(0);
    await run(['project', 'list']);
    await run(['project', 'list', '--json']);

    const outputs = [home.printed, created, server.output.stdout, server.output.stderr].join('\n');
    const keyText = await readKey();
    const pemLine = pem.split('\n')[3] ?? '';
    for (const form of [...formsOf(token), ...formsOf(pemLine), keyText]) {
      expect(outputs).not.toContain(form);
    }
    const kept = await readTraces(home.dataDir);
    expect(Object.keys(kept)).toContain(isOnPostgres ? 'table secrets' : join(home.dataDir, 'headcount.db'));
    for (const text of Object.values(kept)) {
      for (const form of [...formsOf(token), ...formsOf(pemLine)]) expect(text.includes(form)).toBe(false);
    }

    await mustSet(['--forge-token-stdin'], 'another-token');
    expect(await readSecrets()).toMatchObject({ forgeToken: 'another-token' });
    expect(await mustSet(['--remove-forge-token'])).toMatchObject({ forgeToken: false, githubAppKey: true });
    expect(await readSecrets()).toEqual({ githubAppKey: pem.trim() });
  });

  test('of one project cannot be read as those of another', async () => {
    await mustSet(['--forge-token-stdin', '--remove-github-app-key'], token);
    const { store, config } = await openStore();
    const encrypted = await store.readSecrets(home.projectId);
    const moved = new Secrets({ store: { readSecrets: async () => encrypted }, ...config });
    expect(await moved.read(home.projectId)).toEqual({ forgeToken: token });
    await expect(moved.read('another')).rejects.toThrow(/cannot be decrypted/);
    await store.removeProject(home.projectId);
    expect(await store.readSecrets(home.projectId)).toEqual({});
    await store.close();
  });
});
