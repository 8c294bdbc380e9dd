import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AddedProject } from '../../server/operations/projects.ts';
import { runHeadcount, startProcess } from '../support/child.ts';
import { chromeUserAgent } from '../support/headcount.ts';
import { leaveOut } from '../support/machine/left-out.ts';
import { mountSmallDisk } from '../support/machine/small-disk.ts';
import { writeOldDatabase } from '../support/releases/old-database.ts';

const oldVersion = 6;

let dataDir: string;
let env: Record<string, string>;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'headcount-start-'));
  env = { HEADCOUNT_DATA_DIR: dataDir };
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const copies = (folder = dataDir) => readdirSync(folder).filter((name) => name.includes('before'));

function versionOf(file: string): unknown {
  const db = new Database(file, { readonly: true });
  const version = db.pragma('user_version', { simple: true });
  db.close();
  return version;
}

const databaseIn = (folder: string) => join(folder, 'headcount.db');

describe('a start that fails leaves an older database as it was', () => {
  beforeEach(() => writeOldDatabase(dataDir, oldVersion));

  const expectUntouched = () => {
    expect(versionOf(databaseIn(dataDir))).toBe(oldVersion);
    expect(copies()).toEqual([]);
  };

  test('as the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const { code, stderr } = await runHeadcount(['serve'], { ...env, HEADCOUNT_PORT: String(port) });
    other.close();
    expect([code, stderr]).toEqual([2, expect.stringContaining(`Port ${port} is in use`)]);
    expectUntouched();
  });

  test('as a setting cannot be used', async () => {
    const { code } = await runHeadcount(['serve'], {
      ...env,
      HEADCOUNT_PORT: '0',
      HEADCOUNT_COUNTRY_DATABASE: '/nowhere/country.mmdb',
    });
    expect(code).toBe(2);
    expectUntouched();
  });

  test.each([['serve'], ['project list']])('as an older version has it open: %s', async (command) => {
    const older = new Database(databaseIn(dataDir));
    older.prepare('select * from projects').all();
    const { code, stderr } = await runHeadcount(command.split(' '), { ...env, HEADCOUNT_PORT: '0' });
    older.close();
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('another process has it open: stop the server'),
    ]);
    expectUntouched();
  });

  test('as there is no room for a copy', async (context) => {
    const disk = mountSmallDisk(context, 3_000_000);
    writeOldDatabase(disk, oldVersion);
    const room = databaseIn(disk);
    const db = new Database(room);
    db.pragma('journal_mode = DELETE');
    db.exec('create table ballast (x); insert into ballast values (zeroblob(2000000))');
    db.pragma('journal_mode = WAL');
    db.close();
    const { code, stderr } = await runHeadcount(['project', 'list'], { HEADCOUNT_DATA_DIR: disk });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/no room for the copy .* make \d MB of room/)]);
    expect(versionOf(room)).toBe(oldVersion);
    expect(copies(disk)).toEqual([]);
  });
});

describe('an update of the database', () => {
  test('leaves a copy of what it was, in place of an earlier one, and names it in the log', async () => {
    writeOldDatabase(dataDir, oldVersion);
    writeFileSync(join(dataDir, 'headcount.db.before-0002'), 'of an earlier update');
    const { code, stdout, stderr } = await runHeadcount(['project', 'list'], env);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^old +Old/m)]);
    const copy = join(dataDir, 'headcount.db.before-0007');
    expect(stderr).toContain(`What it was before is in ${copy}`);
    expect(copies()).toEqual(['headcount.db.before-0007']);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(versionOf(copy)).toBe(oldVersion);
    const db = new Database(copy, { readonly: true });
    expect(db.prepare('select public_id from projects').pluck().all()).toEqual(['old']);
    db.close();
    expect(versionOf(databaseIn(dataDir))).toBeGreaterThan(oldVersion);
  });

  test('leaves a server that counts', async () => {
    writeOldDatabase(dataDir, oldVersion);
    const server = await startProcess(env);
    const body = JSON.stringify({ p: 'old', u: 'https://docs.example.com/' });
    const headers = { 'User-Agent': chromeUserAgent };
    const { status } = await fetch(`${server.url}/v1/hit`, { method: 'POST', headers, body });
    expect(status).toBe(202);
    server.signal('SIGTERM');
    await server.ended;
    const db = new Database(databaseIn(dataDir), { readonly: true });
    expect(db.prepare('select human_views from counts where what = 0').pluck().all()).toEqual([1]);
    db.close();
  });

  test('is done once by several commands at a time', async () => {
    writeOldDatabase(dataDir, oldVersion);
    const all = await Promise.all([1, 2, 3].map(() => runHeadcount(['project', 'list'], env)));
    expect(all.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(all.filter(({ stderr }) => stderr.includes('brought up to date'))).toHaveLength(1);
  });

  test('keeps its copy for as long as visitors are kept: two days', async () => {
    await runHeadcount(['project', 'add', '--name', 'Docs'], env);
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    for (const [name, hours] of [
      ['headcount.db.before-0002', 49],
      ['headcount.db.before-0003', 47],
    ] as const) {
      writeFileSync(join(dataDir, name), '');
      utimesSync(join(dataDir, name), hoursAgo(hours), hoursAgo(hours));
    }
    const server = await startProcess(env);
    await expect.poll(() => copies()).toEqual(['headcount.db.before-0003']);
    server.signal('SIGTERM');
    await server.ended;
  });
});

describe('a server that nobody asks for a report', () => {
  test('runs no thread for reports until the first one', async (context) => {
    if (process.platform !== 'linux') leaveOut(context, 'only Linux tells of the threads of a process');
    const { code, stdout } = await runHeadcount(['project', 'add', '--name', 'Docs', '--json'], env);
    expect(code).toBe(0);
    const { projectId, adminKey } = JSON.parse(stdout) as AddedProject;
    const server = await startProcess(env);
    const threads = () =>
      readdirSync(`/proc/${server.pid}/task`).map((id) =>
        readFileSync(`/proc/${server.pid}/task/${id}/comm`, 'utf8').trim(),
      );
    expect((await fetch(`${server.url}/hc.js`)).status).toBe(200);
    expect([threads().includes('writer'), threads().includes('reader')]).toEqual([true, false]);
    const headers = { authorization: `Bearer ${adminKey}` };
    const report = await fetch(`${server.url}/v1/analytics/${projectId}/visitors`, { headers });
    expect([report.status, threads().includes('reader')]).toEqual([200, true]);
    server.signal('SIGTERM');
    await server.ended;
  });
});

describe('a second server on the same folder', () => {
  test('is refused in words, while commands work beside the first', async () => {
    const first = await startProcess(env);
    const { code, stdout, stderr } = await runHeadcount(['serve'], { ...env, HEADCOUNT_PORT: '0' });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      `Another server runs on the database ${databaseIn(dataDir)}: stop it first, or give this one a folder of its own with HEADCOUNT_DATA_DIR.\n`,
    );
    expect((await runHeadcount(['project', 'list'], env)).code).toBe(0);
    first.signal('SIGTERM');
    expect(await first.ended).toBe(0);
  });

  test('starts at once after the first was killed', async () => {
    for (let round = 0; round < 3; round++) {
      const server = await startProcess(env);
      server.signal('SIGKILL');
      await server.ended;
    }
    const last = await startProcess(env);
    expect(last.output.stderr).toBe('');
    last.signal('SIGTERM');
    expect(await last.ended).toBe(0);
  });
});
