import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AddedProject } from '../../../server/operations/projects.ts';
import {
  runHeadcount,
  type ServerProcess,
  startHeadcountCommand,
  startProcess,
} from '../../support/child.ts';
import { type Run, runHere } from '../../support/commands/command.ts';
import {
  databaseIn,
  fatten,
  makeProject,
  query,
  temporaryFolders,
  visit,
  visitorsOf,
} from '../../support/data-folders.ts';
import { chromeUserAgent } from '../../support/headcount.ts';
import { combined, person } from '../../support/import/import-run.ts';
import { mountSmallDisk } from '../../support/machine/small-disk.ts';

const newFolder = temporaryFolders();
let dataDir: string;
let folder: string;
let project: AddedProject;
let server: ServerProcess;

beforeAll(async () => {
  [dataDir, folder] = await Promise.all([newFolder(), newFolder()]);
  project = await makeProject(dataDir);
  server = await startProcess({ HEADCOUNT_DATA_DIR: dataDir, HEADCOUNT_MAX_JOBS: '0' });
  await visit(server, project, [1, 2, 3]);
});
afterAll(async () => {
  server.signal('SIGKILL');
  await server.ended;
});

const backUp = (args: string[], env: Record<string, string> = {}, run: Run = runHere) =>
  run(['backup', ...args], { HEADCOUNT_DATA_DIR: dataDir, ...env });
const inFolder = (name: string) => join(folder, name);

/** Of which a receipt is kept. */
const reportUnderKey = () =>
  fetch(`${server.url}/v1/hits`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${project.ingestKey}`,
      'content-type': 'application/json',
      'idempotency-key': '1',
    },
    body: JSON.stringify({
      hits: [{ url: 'https://docs.example.com/1', ip: '203.0.113.7', userAgent: chromeUserAgent }],
    }),
  });

const count = (file: string, table: string) => query<number>(file, `select count(*) from ${table}`)[0];

describe('a backup of a running server', () => {
  test('is one moment of it, while hits are counted on', async () => {
    const file = inFolder('moment.db');
    const before = await visitorsOf(server, project);
    const backing = backUp([file], {}, runHeadcount);
    let sent = before;
    let isOver = false;
    void backing.then(() => {
      isOver = true;
    });
    while (!isOver) {
      await visit(server, project, [sent + 100, sent + 101]);
      sent += 2;
    }
    expect((await backing).code).toBe(0);
    expect(await visitorsOf(server, project)).toBe(sent);
    const [site] = query<number>(file, 'select human_views from counts where what = 0 and span = 1');
    const [paths] = query<number>(file, 'select sum(human_views) from counts where what = 1 and span = 1');
    expect(site).toBe(paths);
    expect(site).toBeGreaterThanOrEqual(before);
    expect(site).toBeLessThanOrEqual(sent);
    expect(sent - before).toBeGreaterThan(2);
  });

  test('holds nothing that reveals who was counted, unless asked to', async () => {
    const [without, withThem] = [inFolder('without.db'), inFolder('with.db')];
    expect((await reportUnderKey()).status).toBe(202);
    const line = combined({
      at: new Date(Date.now() - 86_400_000).toISOString(),
      ip: '203.0.113.8',
      userAgent: person,
    });
    const log = ['import', '-', '--project', project.projectId];
    expect((await runHere(log, { HEADCOUNT_DATA_DIR: dataDir }, line)).code).toBe(0);
    const imported = (file: string) => query(file, 'select 1 from log_days where visitors is not null');
    expect(imported(databaseIn(dataDir))).toHaveLength(1);
    const salts = query<Buffer>(databaseIn(dataDir), 'select salt from days');
    const said = await backUp([without]);
    expect([said.code, said.stdout]).toEqual([0, expect.stringContaining('It holds no visitors')]);
    for (const table of [
      'seen',
      'newly_seen',
      'visit_views',
      'name_takers',
      'receipts',
      'sessions',
      'user_sessions',
    ])
      expect(count(without, table)).toBe(0);
    expect(imported(without)).toEqual([]);
    expect(query(without, 'select length(salt) from days')).toEqual(salts.map(() => 0));
    const bytes = readFileSync(without);
    for (const salt of salts) expect(bytes.includes(salt)).toBe(false);

    const told = await backUp([withThem, '--with-visitors']);
    expect([told.code, told.stdout]).toEqual([
      0,
      expect.stringMatching(/holds the visitors of the active days\. .* find their addresses by trying/),
    ]);
    expect(query(withThem, 'select salt from days')).toEqual(salts);
    const seen = (file: string) => count(file, 'seen') as number;
    expect(seen(withThem) + (count(withThem, 'newly_seen') as number)).toBeGreaterThan(0);
    expect(count(withThem, 'receipts')).toBe(1);
    expect(imported(withThem)).toHaveLength(1);
  });

  test('is for its owner alone, and replaces a file only when told to', async () => {
    const file = inFolder('mode.db');
    writeFileSync(file, 'mine', { mode: 0o644 });
    const { code, stderr } = await backUp([file]);
    expect([code, stderr]).toEqual([
      1,
      `There is a file ${file} already: give another name, or --overwrite.\n`,
    ]);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    const { stdout } = await backUp([file, '--overwrite', '--json']);
    expect(JSON.parse(stdout)).toEqual({
      file,
      bytes: statSync(file).size,
      withVisitors: false,
      encrypted: false,
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(count(file, 'projects')).toBe(1);
  });

  test('goes to standard output, and leaves nothing in the data folder', async () => {
    const { code, stdout, stderr } = await backUp(['-', '--with-visitors'], {}, runHeadcount);
    expect([code, stdout.slice(0, 15)]).toEqual([0, 'SQLite format 3']);
    expect(stderr).toContain('It holds the visitors');
    expect(readdirSync(dataDir).sort()).toEqual([
      'headcount.db',
      'headcount.db-shm',
      'headcount.db-wal',
      'headcount.lock',
      'secret.key',
      'server.json',
    ]);
  });
});

describe('an encrypted backup', () => {
  test.each([
    ['a file', async () => [['--passphrase-file', secretFile()], {}] as const],
    ['the environment', async () => [[], { HEADCOUNT_BACKUP_PASSPHRASE: 'correct horse' }] as const],
  ])('is read with the passphrase of %s, and with no other', async (from, give) => {
    const [args, env] = await give();
    const file = inFolder(`${from.replaceAll(' ', '-')}.age`);
    const made = await backUp([file, ...args], env);
    expect([made.code, made.stdout]).toEqual([0, expect.stringContaining('decrypted once as a check')]);
    const bytes = readFileSync(file);
    expect(bytes.toString('latin1', 0, 21)).toBe('age-encryption.org/v1');
    expect(bytes.includes(Buffer.from(project.projectId))).toBe(false);
    const target = { HEADCOUNT_DATA_DIR: await newFolder() };
    const wrong = await runHere(['restore', file], { ...target, HEADCOUNT_BACKUP_PASSPHRASE: 'wrong' });
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('The passphrase is not the one')]);
    const none = await runHere(['restore', file], target);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('HEADCOUNT_BACKUP_PASSPHRASE')]);
    expect(readdirSync(target.HEADCOUNT_DATA_DIR)).toEqual(['headcount.lock']);
    const { code, stdout } = await runHere(['restore', file, '--json', ...args], { ...target, ...env });
    expect([code, JSON.parse(stdout).projects[0].id]).toEqual([0, project.projectId]);
  });

  test('is read with the identity of a recipient, and with no other', async () => {
    const [own, other] = [await generateIdentity(), await generateIdentity()];
    const file = inFolder('recipient.age');
    writeFileSync(inFolder('own.txt'), `# created: today\n${own}\n`);
    writeFileSync(inFolder('other.txt'), `${other}\n`);
    const made = await backUp([file, '--recipient', await identityToRecipient(own)]);
    expect(made.code).toBe(0);
    const target = { HEADCOUNT_DATA_DIR: await newFolder() };
    const restore = (...args: string[]) => runHere(['restore', file, ...args], target);
    expect((await restore('--identity-file', inFolder('other.txt'))).stderr).toContain(
      'None of these identities',
    );
    expect(await restore()).toMatchObject({ code: 2, stderr: expect.stringContaining('--identity-file') });
    expect((await restore('--identity-file', inFolder('own.txt'))).code).toBe(0);
  });

  test.each([
    [['--recipient', 'bob'], {}, 1, /"bob" is not a recipient of age: such a one begins with "age1"/],
    [['--recipient', 'age1nonsense'], {}, 1, /"age1nonsense" is not a recipient of age: copy all of it/],
    [[], { HEADCOUNT_BACKUP_PASSPHRASE: '' }, 2, /HEADCOUNT_BACKUP_PASSPHRASE is empty/],
    [['--recipient', 'age1x', '--passphrase-file', '/x'], {}, 2, /not to both/],
    [['--passphrase'], {}, 2, /Nobody can be asked/],
    [['--passphrase-file', '/nowhere'], {}, 1, /\/nowhere cannot be read/],
  ])('is not made with %j', async (args, env, expected, message) => {
    const { code, stderr } = await runHere(['backup', inFolder('never.age'), ...args], {
      HEADCOUNT_DATA_DIR: dataDir,
      ...env,
    });
    expect([code, stderr]).toEqual([expected, expect.stringMatching(message)]);
    expect(existsSync(inFolder('never.age'))).toBe(false);
  });
});

function secretFile(): string {
  writeFileSync(inFolder('passphrase'), 'correct horse\n', { mode: 0o600 });
  return inFolder('passphrase');
}

describe('a backup that does not come to its end', () => {
  test('as it is killed leaves no file under its name', async () => {
    const [large, target] = await Promise.all([newFolder(), newFolder()]);
    await makeProject(large);
    fatten(databaseIn(large), 60);
    const file = join(target, 'killed.db');
    const command = startHeadcountCommand(['backup', file], { HEADCOUNT_DATA_DIR: large });
    await expect.poll(() => existsSync(`${file}.partial`), { interval: 2 }).toBe(true);
    command.kill('SIGKILL');
    await once(command, 'close');
    expect(readdirSync(target)).toEqual(['killed.db.partial']);
    const again = await runHere(['backup', file], { HEADCOUNT_DATA_DIR: large });
    expect([again.code, readdirSync(target)]).toEqual([0, ['killed.db']]);
  });

  test('as it is killed on its way to standard output leaves nothing', async () => {
    const large = await newFolder();
    await makeProject(large);
    fatten(databaseIn(large), 2);
    const before = readdirSync(large);
    const command = startHeadcountCommand(['backup', '-'], { HEADCOUNT_DATA_DIR: large });
    // More than a pipe holds, so that it waits for its reader.
    await once(command.stdout, 'readable');
    command.kill('SIGKILL');
    await once(command, 'exit');
    command.stdout.destroy();
    expect(readdirSync(large).filter((name) => !/-(wal|shm)$/.test(name))).toEqual(before);
  });

  test('as the disk is full says so, and leaves nothing', async (context) => {
    const disk = mountSmallDisk(context, 100_000);
    const file = join(disk, 'full.db');
    for (const args of [[file], [file, '--passphrase-file', secretFile()]]) {
      const { code, stderr } = await backUp(args);
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/^There is no room for the copy|: the disk is full\. Make room/),
      ]);
      expect(readdirSync(disk)).toEqual([]);
    }
    await visit(server, project, [9]);
  });

  test('as there is no database says where it looked, and makes none', async () => {
    const empty = await newFolder();
    const { code, stderr } = await backUp([inFolder('none.db')], { HEADCOUNT_DATA_DIR: empty });
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`There is no database in the folder ${empty}`),
    ]);
    expect([readdirSync(empty), existsSync(inFolder('none.db'))]).toEqual([[], false]);
  });
});
