import { once } from 'node:events';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import { startHeadcountCommand, startProcess } from '../../support/child.ts';
import { runHere } from '../../support/commands/command.ts';
import {
  databaseIn,
  fatten,
  makeProject,
  query,
  temporaryFolders,
  visit,
} from '../../support/data-folders.ts';
import { mountSmallDisk } from '../../support/machine/small-disk.ts';

const newFolder = temporaryFolders();
let dataDir: string;
let backups: string;

const backup = (name: string) => join(backups, name);

beforeAll(async () => {
  [dataDir, backups] = await Promise.all([newFolder(), newFolder()]);
  const project = await makeProject(dataDir);
  const server = await startProcess({ HEADCOUNT_DATA_DIR: dataDir, HEADCOUNT_MAX_JOBS: '0' });
  await visit(server, project, [1, 2, 3]);
  server.signal('SIGTERM');
  await server.ended;
  await run(dataDir, 'backup', backup('plain.db'));
});

const run = (folder: string, ...args: string[]) => runHere(args, { HEADCOUNT_DATA_DIR: folder });
const restore = (folder: string, ...args: string[]) => run(folder, 'restore', ...args);

/** Linux alone tells. */
function filesOpenHere(): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd').flatMap((number) => {
    try {
      return [readlinkSync(join('/proc/self/fd', number))];
    } catch {
      return [];
    }
  });
}

describe('what is no good backup changes nothing', () => {
  let folder: string;
  let before: Buffer;
  beforeAll(async () => {
    folder = await newFolder();
    await makeProject(folder, 'Kept');
    before = readFileSync(databaseIn(folder));
  });

  /** Makes a variant of the plain backup with SQL. */
  const changed = (file: string, sql: string) => {
    copyFileSync(backup('plain.db'), file);
    const db = new Database(file);
    db.pragma('foreign_keys = OFF');
    db.exec(sql);
    db.close();
  };

  test.each<[string, (file: string) => void, RegExp]>([
    ['empty', (file) => writeFileSync(file, ''), /The backup is empty/],
    [
      'text',
      (file) => writeFileSync(file, 'Dear diary, '.repeat(99)),
      /not a backup of Headcount: it is something else/,
    ],
    [
      'packed',
      (file) => writeFileSync(file, gzipSync(readFileSync(backup('plain.db')))),
      /it is packed: .* "gunzip"/,
    ],
    [
      'of another program',
      (file) => new Database(file).exec('create table moz_places (x)').close(),
      /none of Headcount/,
    ],
    [
      'newer',
      (file) => changed(file, 'pragma user_version = 9999'),
      /written by a newer Headcount \(schema 9999/,
    ],
    [
      'without a column',
      (file) => changed(file, 'alter table keys drop column name'),
      /tables are not those of its version/,
    ],
    [
      'cut',
      (file) => {
        copyFileSync(backup('plain.db'), file);
        truncateSync(file, statSync(file).size - 8192);
      },
      /is damaged/,
    ],
    [
      'overwritten in the middle',
      (file) => {
        const bytes = readFileSync(backup('plain.db'));
        writeFileSync(file, bytes.fill(7, 8192, 65_536));
      },
      /is damaged/,
    ],
  ])('%s', async (name, make, message) => {
    const file = backup(`bad ${name}`);
    make(file);
    const { code, stderr } = await restore(folder, file, '--replace');
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
    expect(stderr).toMatch(/Nothing was changed\.\n$/);
    expect(readFileSync(databaseIn(folder)).equals(before)).toBe(true);
    expect(readdirSync(folder).filter((file) => file.includes('restoring'))).toEqual([]);
    expect(filesOpenHere()).not.toContain(file);
  });

  test('encrypted, and then cut or changed', async () => {
    const env = { HEADCOUNT_DATA_DIR: dataDir, HEADCOUNT_BACKUP_PASSPHRASE: 'correct horse' };
    await runHere(['backup', backup('whole.age')], env);
    const bytes = readFileSync(backup('whole.age'));
    writeFileSync(backup('cut.age'), bytes.subarray(0, bytes.length - 70_000));
    writeFileSync(backup('changed.age'), Buffer.from(bytes).fill(7, 100_000, 100_001));
    writeFileSync(backup('longer.age'), bytes);
    appendFileSync(backup('longer.age'), 'x');
    for (const name of ['cut.age', 'changed.age', 'longer.age']) {
      const { code, stderr } = await runHere(['restore', backup(name), '--replace'], {
        ...env,
        HEADCOUNT_DATA_DIR: folder,
      });
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/^The backup is damaged.* Nothing was changed\.\n$/),
      ]);
      expect(readFileSync(databaseIn(folder)).equals(before)).toBe(true);
    }
  });
});

describe('a restore that does not come to its end', () => {
  test('as it is killed leaves the database as it was, and the next start removes what it wrote', async () => {
    const folder = await newFolder();
    await makeProject(folder, 'Kept');
    const before = readFileSync(databaseIn(folder));
    const command = startHeadcountCommand(['restore', '-', '--replace'], { HEADCOUNT_DATA_DIR: folder });
    command.stdin.write(readFileSync(backup('plain.db')).subarray(0, 100_000));
    const draft = `${databaseIn(folder)}.restoring`;
    while ((statSync(draft, { throwIfNoEntry: false })?.size ?? 0) === 0) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    command.kill('SIGKILL');
    await once(command, 'exit');
    expect(readFileSync(databaseIn(folder)).equals(before)).toBe(true);
    const server = await startProcess({ HEADCOUNT_DATA_DIR: folder, HEADCOUNT_MAX_JOBS: '0' });
    server.signal('SIGTERM');
    await server.ended;
    expect(existsSync(draft)).toBe(false);
    expect(query(databaseIn(folder), "select settings ->> 'name' from projects")).toEqual(['Kept']);
  });

  test('as the disk is full says so, and changes nothing', async (context) => {
    const disk = mountSmallDisk(context, 3_000_000);
    await makeProject(disk, 'Kept');
    copyFileSync(backup('plain.db'), backup('large.db'));
    fatten(backup('large.db'), 4);
    const { code, stderr } = await restore(disk, backup('large.db'), '--replace');
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^There is no room for the backup .* Nothing was changed/),
    ]);
    expect(query(databaseIn(disk), "select settings ->> 'name' from projects")).toEqual(['Kept']);
    expect(readdirSync(disk).filter((name) => name.includes('restoring'))).toEqual([]);
  });
});
