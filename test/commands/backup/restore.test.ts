import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AddedProject } from '../../../server/operations/projects.ts';
import {
  runHeadcount,
  type ServerProcess,
  startHeadcountCommand,
  startProcess,
} from '../../support/child.ts';
import { runHere } from '../../support/commands/command.ts';
import {
  databaseIn,
  makeProject,
  query,
  temporaryFolders,
  visit,
  visitorsOf,
} from '../../support/data-folders.ts';
import { signedCatalogue, signer, zyxUserAgent } from '../../support/identity/signed-catalogue.ts';
import { combined } from '../../support/import/import-run.ts';

const newFolder = temporaryFolders();
let dataDir: string;
let backups: string;
let project: AddedProject;
const running: ServerProcess[] = [];

const start = async (folder: string) => {
  const server = await startProcess({ HEADCOUNT_DATA_DIR: folder, HEADCOUNT_MAX_JOBS: '0' });
  running.push(server);
  return server;
};
const stop = async (server: ServerProcess) => {
  server.signal('SIGTERM');
  await server.ended;
};
const backup = (name: string) => join(backups, name);
const run = (folder: string, ...args: string[]) => runHere(args, { HEADCOUNT_DATA_DIR: folder });
const restore = (folder: string, ...args: string[]) => run(folder, 'restore', ...args);

/** Two backups of a server that counted people 1 to 3 today. */
beforeAll(async () => {
  [dataDir, backups] = await Promise.all([newFolder(), newFolder()]);
  project = await makeProject(dataDir);
  await runHere(
    ['project', 'set', project.projectId, '--repository', 'https://github.com/a/b', '--forge-token-stdin'],
    { HEADCOUNT_DATA_DIR: dataDir },
    'ghp_secretsecretsecretsecretsecretsecret',
  );
  const server = await start(dataDir);
  await visit(server, project, [1, 2, 3]);
  await run(dataDir, 'backup', backup('plain.db'));
  await run(dataDir, 'backup', backup('with-visitors.db'), '--with-visitors');
  await stop(server);
});
afterAll(async () => {
  for (const server of running) server.signal('SIGKILL');
  await Promise.all(running.map(({ ended }) => ended));
});

describe('a backup in a new folder', () => {
  test('with its key and visitors goes on without counting anybody twice', async () => {
    const folder = await newFolder();
    copyFileSync(join(dataDir, 'secret.key'), join(folder, 'secret.key'));
    const { code, stdout } = await restore(folder, backup('with-visitors.db'));
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^Restored: 1 project, .*\n.* are recognised .*: nobody is counted twice\.\n$/),
    ]);
    expect(statSync(databaseIn(folder)).mode & 0o777).toBe(0o600);
    const server = await start(folder);
    await visit(server, project, [1, 2, 3, 4]);
    expect(await visitorsOf(server, project)).toBe(4);
    await stop(server);
  });

  test('without its key says what does not work, and counts', async () => {
    const folder = await newFolder();
    const { code, stdout } = await restore(folder, backup('with-visitors.db'));
    expect([code, stdout.trim().split('\n')]).toEqual([
      0,
      [
        expect.stringMatching(/^Restored: 1 project, counts up to /),
        expect.stringMatching(
          /^The key of the backup is missing, so visitors .* counted twice\. .*secret\.key/,
        ),
        expect.stringMatching(
          `^The key .* so tokens of these projects cannot be decrypted: ${project.projectId}\\.`,
        ),
      ],
    ]);
    const server = await start(folder);
    await visit(server, project, [1, 4]);
    expect(await visitorsOf(server, project)).toBe(5);
    await stop(server);
  });

  test('without visitors counts who comes back once more, and says so; imports work at once', async () => {
    const folder = await newFolder();
    copyFileSync(join(dataDir, 'secret.key'), join(folder, 'secret.key'));
    const { stdout } = await restore(folder, backup('plain.db'));
    expect(stdout).toMatch(/\nThe backup holds no visitors of active days \(\d{4}-\d\d-\d\d\): /);
    const log = join(folder, 'access.log');
    writeFileSync(log, combined({ at: new Date().toISOString(), ip: '198.51.100.7', path: '/logged' }));
    const imported = await run(
      folder,
      'import',
      log,
      '--project',
      project.projectId,
      '--merge',
      '--people',
      'count',
    );
    expect([imported.code, imported.stderr]).toEqual([
      0,
      expect.stringContaining('may be counted again on the same day'),
    ]);
    const server = await start(folder);
    await visit(server, project, [1, 4]);
    await visit(server, project, [1, 4]);
    expect(await visitorsOf(server, project)).toBe(6);
    await stop(server);
  });

  test('has the catalogue that was loaded, which is judged by where its key is believed', async () => {
    const [folder, other] = [await newFolder(), await newFolder()];
    await makeProject(folder);
    writeFileSync(join(folder, 'new.signed'), signedCatalogue());
    const believing = (dataDir: string, ...args: string[]) =>
      runHeadcount(args, { HEADCOUNT_DATA_DIR: dataDir, HEADCOUNT_CATALOGUE_KEY: signer.publicKey });
    expect((await believing(folder, 'catalogue', 'load', join(folder, 'new.signed'))).code).toBe(0);
    await run(folder, 'backup', backup('with-catalogue.db'));
    expect((await restore(other, backup('with-catalogue.db'))).code).toBe(0);
    const whois = ['whois', '--user-agent', zyxUserAgent];
    expect((await believing(other, ...whois)).stdout).toContain('AI client Zyxbot');
    const unbelieving = await runHeadcount(whois, { HEADCOUNT_DATA_DIR: other });
    expect(unbelieving.stdout).toContain('A bot');
  });

  test('comes from standard input too, also as a copy of a file that was in use', async () => {
    const folder = await newFolder();
    const copy = new Database(backup('plain.db'));
    copy.pragma('journal_mode = WAL');
    copy.close();
    const input = readFileSync(backup('plain.db'), 'latin1');
    const command = startHeadcountCommand(['restore', '-', '--json'], { HEADCOUNT_DATA_DIR: folder });
    command.stdin.end(Buffer.from(input, 'latin1'));
    const [chunk] = (await once(command.stdout, 'data')) as [Buffer];
    await once(command, 'close');
    expect(JSON.parse(chunk.toString())).toMatchObject({ kept: null, projects: [{ id: project.projectId }] });
    expect(readdirSync(folder).sort()).toEqual(['headcount.db', 'headcount.lock']);
  });
});

describe('a folder that is in use', () => {
  test('keeps what it has, unless it is to be replaced, and then for two days', async () => {
    const folder = await newFolder();
    const other = await makeProject(folder, 'Other');
    expect(await restore(folder, backup('plain.db'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--replace'),
    });
    const { stdout } = await restore(folder, backup('plain.db'), '--replace', '--json');
    const { kept } = JSON.parse(stdout) as { kept: string };
    expect(query(databaseIn(folder), 'select public_id from projects')).toEqual([project.projectId]);
    expect(query(kept, 'select public_id from projects')).toEqual([other.projectId]);
    const server = await start(folder);
    expect([existsSync(kept), await visitorsOf(server, project)]).toEqual([true, 3]);
    await stop(server);
  });

  test('is refused while a server runs on it, or a command', async () => {
    const folder = await newFolder();
    await makeProject(folder);
    const server = await start(folder);
    const refused = await restore(folder, backup('plain.db'), '--replace');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^A server runs on .* Nothing was changed/),
    ]);
    await stop(server);
    const open = new Database(databaseIn(folder));
    open.prepare('select * from projects').all();
    const busy = await restore(folder, backup('plain.db'), '--replace');
    open.close();
    expect([busy.code, busy.stderr]).toEqual([
      1,
      expect.stringMatching(/^Another process has .* Nothing was changed/),
    ]);
  });

  test('gets a backup in the place of a damaged database, with whose log nothing is mixed', async () => {
    const folder = await newFolder();
    const server = await start(folder);
    server.signal('SIGKILL');
    await server.ended;
    expect(statSync(`${databaseIn(folder)}-wal`).size).toBeGreaterThan(0);
    writeFileSync(databaseIn(folder), 'x'.repeat(10_000));
    const { code, stderr } = await restore(folder, backup('plain.db'), '--replace');
    expect([code, stderr]).toEqual([0, '']);
    expect(query(databaseIn(folder), 'select public_id from projects')).toEqual([project.projectId]);
    expect(readdirSync(folder).filter((name) => /headcount\.db-/.test(name))).toEqual([]);
  });
});
