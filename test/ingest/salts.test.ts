import { randomBytes } from 'node:crypto';
import { chmod, copyFile, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isPlainSalt, SaltCipher } from '../../server/counting/visitor/salt.ts';
import { visitorId } from '../../server/counting/visitor/visitor.ts';
import type { AddedProject } from '../../server/operations/projects.ts';
import { loadSecretKey } from '../../server/projects/key-file.ts';
import type { Count } from '../../shared/reports/analytics.ts';
import { runHeadcount } from '../support/child.ts';
import { createClock, dayMs } from '../support/clock.ts';
import { chromeUserAgent, type Headcount, startHeadcount } from '../support/headcount.ts';
import { combined } from '../support/import/import-run.ts';

let dataDir: string;
let project: AddedProject;
const clock = createClock('2026-05-10T10:00:00Z');
const start = (env: Record<string, string> = {}) => startHeadcount({ dataDir, now: clock.now, env });
const file = () => join(dataDir, 'headcount.db');
const addresses = Array.from({ length: 256 }, (_, i) => `203.0.113.${i}`);

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'headcount-salts-'));
  clock.set('2026-05-10T10:00:00Z');
  const first = await start();
  project = first;
  await visit(first, [1, 2, 3]);
  await first.stop();
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

async function visit(headcount: Headcount, visitors: number[]): Promise<void> {
  for (const n of visitors) {
    const page = { p: project.projectId, u: 'https://example.com/' };
    const response = await headcount.hit(page, { 'x-forwarded-for': addresses[n] as string });
    expect([response.status, response.headers.get('x-headcount-dropped')]).toEqual([202, null]);
  }
}

async function visitorsOf(headcount: Headcount): Promise<number> {
  const response = await fetch(`${headcount.url}/v1/analytics/${project.projectId}/visitors`, {
    headers: { authorization: `Bearer ${project.adminKey}` },
  });
  return ((await response.json()) as { totals: Count }).totals.total;
}

interface Kept {
  projectId: string;
  day: number;
  salt: Buffer;
}

/** What a database file tells of days, and everybody who was seen on them. */
function read(path: string): { salts: Kept[]; visitors: Set<bigint> } {
  const db = new Database(path, { readonly: true });
  const salts = db
    .prepare<[], Kept>(
      'select p.public_id as projectId, d.day, d.salt from days d join projects p on p.id = d.project',
    )
    .all();
  const sorted = db.prepare<[], bigint>('select visitor from seen').pluck().safeIntegers().all();
  const rows = db.prepare<[], Buffer>('select visitors_and_sightings from newly_seen').pluck().all();
  db.close();
  const unsorted = rows.flatMap((row) =>
    Array.from({ length: row.length / 12 }, (_, i) => row.readBigInt64LE(i * 8)),
  );
  return { salts, visitors: new Set([...sorted, ...unsorted]) };
}

/** Who of the network comes to be known when all of it is tried. */
function recognised(visitors: Set<bigint>, salt: string): string[] {
  return addresses.filter((address) => visitors.has(visitorId(salt, address, chromeUserAgent)));
}

/** Every stretch of 16 bytes, which is how long a salt is. */
function stretchesOf(bytes: Buffer): string[] {
  return Array.from({ length: bytes.length - 15 }, (_, i) => bytes.toString('hex', i, i + 16));
}

/** Puts salts into the database as 0.1 kept them. */
function makePlain(): Buffer[] {
  const cipher = new SaltCipher(loadSecretKey({ dataDir, secretKey: null }));
  const { salts } = read(file());
  const db = new Database(file());
  const plain = salts.map((kept) => {
    const salt = Buffer.from(cipher.decrypt(kept, kept.salt) ?? '', 'hex');
    db.prepare('update days set salt = ? where salt = ?').run(salt, kept.salt);
    return salt;
  });
  db.close();
  return plain;
}

async function bytesOnDisk(): Promise<Buffer> {
  const names = (await readdir(dataDir)).filter((name) => name.startsWith('headcount.db'));
  return Buffer.concat(await Promise.all(names.map((name) => readFile(join(dataDir, name)))));
}

describe('a copy of the database', () => {
  test('reveals nobody, unless one has the key', async () => {
    const headcount = await start();
    await visit(headcount, [4]);
    const copy = join(dataDir, 'copy.db');
    const db = new Database(file(), { readonly: true });
    await db.backup(copy);
    db.close();
    await headcount.stop();
    const { salts, visitors } = read(copy);
    expect([salts.length, visitors.size]).toEqual([1, 4]);
    const [kept] = salts as [Kept];
    for (const salt of [...stretchesOf(kept.salt), kept.salt.toString('hex')]) {
      expect(recognised(visitors, salt)).toEqual([]);
    }
    expect(new SaltCipher(randomBytes(32)).decrypt(kept, kept.salt)).toBeUndefined();
    const own = new SaltCipher(loadSecretKey({ dataDir, secretKey: null })).decrypt(kept, kept.salt) ?? '';
    expect(recognised(visitors, own)).toEqual([1, 2, 3, 4].map((n) => addresses[n]));
    expect((await bytesOnDisk()).includes(Buffer.from(own, 'hex'))).toBe(false);
  });

  test('gives a salt in no other place than its own', () => {
    const cipher = new SaltCipher(randomBytes(32));
    const place = { projectId: 'p1', day: 20_000 };
    const salt = cipher.make(place);
    expect(cipher.decrypt(place, salt)).toMatch(/^[0-9a-f]{32}$/);
    expect(cipher.decrypt({ ...place, day: 20_001 }, salt)).toBeUndefined();
    expect(cipher.decrypt({ ...place, projectId: 'p2' }, salt)).toBeUndefined();
    expect(cipher.decrypt(place, salt.toReversed())).toBeUndefined();
  });

  test('that is restored with its key goes on without counting anybody twice', async () => {
    const copy = join(dataDir, 'copy.db');
    await copyFile(file(), copy);
    const before = await start();
    await visit(before, [5]);
    await before.stop();
    for (const name of ['headcount.db-wal', 'headcount.db-shm'])
      await rm(join(dataDir, name), { force: true });
    await rename(copy, file());
    const restored = await start();
    await visit(restored, [1, 2, 3, 5]);
    expect(await visitorsOf(restored)).toBe(4);
    expect(restored.log).toEqual([]);
    await restored.stop();
  });

  test('that is restored without its key counts too, and it is said who may be counted twice', async () => {
    await rm(join(dataDir, 'secret.key'));
    const restored = await start();
    await visit(restored, [1, 2, 6]);
    await visit(restored, [1, 2, 6]);
    expect(await visitorsOf(restored)).toBe(6);
    expect(restored.log).toHaveLength(1);
    expect(restored.log[0]).toMatch(
      / error The key that encrypted the salts of an active day is not the one at hand/,
    );
    await restored.stop();
    const again = await start();
    await visit(again, [1, 2, 6]);
    expect([await visitorsOf(again), again.log]).toEqual([6, []]);
    await again.stop();
  });
});

describe('the key of salts', () => {
  test('is made with the first start, for its owner alone', async () => {
    expect((await stat(join(dataDir, 'secret.key'))).mode & 0o777).toBe(0o600);
  });

  test('of the environment comes before the file, and makes none', async () => {
    const other = await mkdtemp(join(tmpdir(), 'headcount-salts-'));
    const env = { HEADCOUNT_SECRET_KEY: randomBytes(32).toString('base64') };
    const headcount = await startHeadcount({ dataDir: other, now: clock.now, env });
    expect((await headcount.hit({ u: 'https://example.com/' })).status).toBe(202);
    await headcount.stop();
    expect(await readdir(other)).not.toContain('secret.key');
    await rm(other, { recursive: true });
  });

  test('that others can read is taken from them at the start, with a line in the log', async () => {
    await chmod(join(dataDir, 'secret.key'), 0o644);
    const headcount = await start();
    await visit(headcount, [1]);
    expect(await visitorsOf(headcount)).toBe(3);
    expect(headcount.log).toEqual([
      expect.stringMatching(/warn .*secret\.key could be used by others \(mode 644\)/),
    ]);
    expect((await stat(join(dataDir, 'secret.key'))).mode & 0o777).toBe(0o600);
    await headcount.stop();
  });

  test('that is damaged does not keep the server from counting', async () => {
    await writeFile(join(dataDir, 'secret.key'), 'damaged');
    const headcount = await start();
    await visit(headcount, [1, 7]);
    expect(await visitorsOf(headcount)).toBe(5);
    expect(headcount.log.join('')).toMatch(/secret\.key is damaged: restore it .* key in memory/);
    await headcount.stop();
  });

  test('has to be at hand for an import, which otherwise changes nothing', async () => {
    await writeFile(join(dataDir, 'access.log'), combined({ at: '2026-05-01T10:00:00Z' }));
    const { salts } = read(file());
    const importing = ['import', join(dataDir, 'access.log'), '--project', project.projectId];
    const env = { HEADCOUNT_DATA_DIR: dataDir };
    // Days that are over by the real clock are sealed before anything is imported.
    const db = new Database(file());
    db.exec(`update days set forget_at = ${Date.now() + dayMs}`);
    db.close();
    const HEADCOUNT_SECRET_KEY = randomBytes(32).toString('base64');
    const refused = await runHeadcount(importing, { ...env, HEADCOUNT_SECRET_KEY });
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(/^The salts of active days cannot be read with the current key: .*\n$/);
    expect(read(file()).salts).toEqual(salts);
    expect((await runHeadcount(importing, env)).code).toBe(0);
  });
});

test('salts that an older version kept as they were are encrypted at the start, and leave no trace', async () => {
  const [plain] = makePlain() as [Buffer];
  expect((await bytesOnDisk()).includes(plain)).toBe(true);
  const { salts, visitors } = read(file());
  expect(recognised(visitors, (salts[0] as Kept).salt.toString('hex'))).toHaveLength(3);
  const headcount = await start();
  await expect.poll(() => read(file()).salts.some(({ salt }) => isPlainSalt(salt))).toBe(false);
  await expect.poll(async () => (await bytesOnDisk()).includes(plain)).toBe(false);
  await visit(headcount, [1, 2, 3, 4]);
  expect(await visitorsOf(headcount)).toBe(4);
  expect(headcount.log).toEqual([expect.stringMatching(/ info The salts of an active day were encrypted/)]);
  await headcount.stop();
});
