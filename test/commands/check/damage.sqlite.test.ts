import { existsSync } from 'node:fs';
import { cp, open, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { runHeadcount, startProcess } from '../../support/child.ts';
import { runHere } from '../../support/commands/command.ts';
import { databaseIn, query, temporaryFolders, visit } from '../../support/data-folders.ts';

const newFolder = temporaryFolders();

interface Page {
  name: string;
  number: number;
}

/** A folder with a project that has 12,000 counts of 60 days from 2024-10-04 on, made once, and its leaves. */
let made: Promise<{ folder: string; pages: Page[] }> | undefined;

async function makeProject(dataDir: string): Promise<Page[]> {
  made ??= makeOnce();
  const { folder, pages } = await made;
  await cp(folder, dataDir, { recursive: true });
  return pages;
}

async function makeOnce() {
  const folder = await newFolder();
  await runHere(['project', 'add', '--name', 'Docs'], { HEADCOUNT_DATA_DIR: folder });
  const db = new Database(databaseIn(folder));
  const count = db.prepare('insert into counts values (1, ?, 0, 1, ?, ?, 1, 1, 1, 1, 1)');
  const name = db.prepare('insert into names values (?, 1, 2, 0, ?)');
  db.transaction(() => {
    for (let id = 1; id <= 1000; id++) name.run(id, `/path/${id}`);
    for (let what = 0; what < 5; what++)
      for (let day = 20000; day < 20060; day++) for (let id = 1; id <= 40; id++) count.run(what, day, id);
  })();
  db.pragma('wal_checkpoint(truncate)');
  const pages = db
    .prepare<[], Page>(
      "select name, pageno as number from dbstat where pagetype = 'leaf' order by name, path",
    )
    .all();
  db.close();
  return { folder, pages };
}

async function write(path: string, page: number, bytes: Buffer): Promise<void> {
  const file = await open(path, 'r+');
  await file.write(bytes, 0, bytes.length, page * 4096);
  await file.close();
}

async function overwrite(dataDir: string, pages: readonly (Page | undefined)[], byte: number): Promise<void> {
  const file = await open(databaseIn(dataDir), 'r+');
  for (const page of pages)
    await file.write(Buffer.alloc(4096, byte), 0, 4096, (Number(page?.number) - 1) * 4096);
  await file.close();
}

test.each([
  ['overwritten', 0xa5],
  ['zeroed', 0],
])('tables and days of pages that were %s are named, and a backup has all the rest', async (_how, byte) => {
  const dataDir = await newFolder();
  const env = { HEADCOUNT_DATA_DIR: dataDir };
  const pages = await makeProject(dataDir);
  const of = (name: string) => pages.filter((page) => page.name === name);
  await overwrite(dataDir, [of('counts')[10], of('counts')[40], of('names')[4]], byte);
  const check = await runHere(['check'], env);
  expect(check.code).toBe(1);
  expect(check.stdout.match(/Rows of the table counts of the days 2024-\d\d-\d\d/g)).toHaveLength(2);
  expect(check.stdout).toContain('Rows of the table names cannot be read');
  const target = join(await newFolder(), 'saved.db');
  const backup = await runHere(['backup', target], env);
  expect([backup.code, backup.stderr]).toEqual([1, expect.stringContaining('the backup is incomplete')]);
  expect(backup.stderr.match(/Rows of the table/g)).toHaveLength(3);
  const saved = new Database(target);
  const rows = (table: string) =>
    saved.prepare<[], number>(`select count(*) from ${table}`).pluck().get() ?? 0;
  expect(rows('counts')).toBeGreaterThan(11_000);
  expect(rows('counts')).toBeLessThan(12_000);
  expect(rows('names')).toBeGreaterThan(800);
  saved.close();
  const restored = await newFolder();
  const restore = await runHere(['restore', target], { HEADCOUNT_DATA_DIR: restored });
  expect([restore.code, existsSync(databaseIn(restored))]).toEqual([0, true]);
});

test('a damaged index is named, with all rows of its table there', async () => {
  const dataDir = await newFolder();
  const env = { HEADCOUNT_DATA_DIR: dataDir };
  const pages = await makeProject(dataDir);
  const index = pages.filter(({ name }) => name === 'sqlite_autoindex_names_1')[3];
  await overwrite(dataDir, [index], 0xa5);
  const check = await runHere(['check'], env);
  expect([check.code, check.stdout]).toEqual([
    1,
    expect.stringContaining(
      'All rows of the table names can be read, but not its indexes (sqlite_autoindex_names_1)',
    ),
  ]);
  const target = join(await newFolder(), 'saved.db');
  expect(await runHere(['backup', target], env)).toMatchObject({ code: 0, stderr: '' });
});

/** Commands end with one sentence for people. */
const oneSentence = (stderr: string) => {
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(stderr).not.toMatch(/try again|retry|defect|\n\s+at /);
  return stderr;
};

async function makeHarmed(harm: Harm) {
  const dataDir = await newFolder();
  const pages = await makeProject(dataDir);
  const [id = ''] = query<string>(databaseIn(dataDir), 'select public_id from projects');
  await harm(databaseIn(dataDir), pages);
  const out = await newFolder();
  return {
    run: (...args: string[]) =>
      (args[0] === 'serve' ? runHeadcount : runHere)(args, { HEADCOUNT_DATA_DIR: dataDir }),
    id,
    saved: join(out, 'saved.db'),
    exported: join(out, 'exported.jsonl'),
  };
}

type Harm = (file: string, pages: readonly Page[]) => Promise<void>;
const overwriting =
  (name: string, at: number): Harm =>
  (file, pages) =>
    write(file, Number(pages.filter((page) => page.name === name).at(at)?.number) - 1, pageOf(0xa5));
/** Where the last twenty pages begin. */
const lastPages = async (file: string) => (await stat(file)).size - 4096 * 20;
const pageOf = (byte: number) => Buffer.alloc(4096, byte);

/** A list of free pages, whose first one is overwritten. */
const hurtFreelist: Harm = async (file) => {
  const db = new Database(file);
  db.exec('delete from counts where what = 3');
  db.pragma('wal_checkpoint(truncate)');
  db.close();
  const header = (await readFile(file)).subarray(0, 100);
  await write(file, header.readUInt32BE(32) - 1, pageOf(0xa5));
};

/** What was committed and not yet taken into the database ends where the log is overwritten. */
const hurtLog: Harm = async (file) => {
  const db = new Database(file);
  db.exec("insert into names values (9001, 1, 2, 0, '/late')");
  const log = await readFile(`${file}-wal`);
  db.close();
  await writeFile(`${file}-wal`, log.fill(0xa5, 100, 200));
};

describe.each<[string, Harm, { check: string | RegExp; missing: string[] }]>([
  [
    'first 100 bytes',
    (file) => write(file, 0, Buffer.alloc(100, 0xa5)),
    { check: 'file is not a database', missing: [] },
  ],
  [
    'version in the header',
    (file) => write(file, 60 / 4096, Buffer.alloc(4, 0xa5)),
    { check: 'its header says schema', missing: [] },
  ],
  [
    'size of pages in the header',
    (file) => write(file, 16 / 4096, Buffer.alloc(2, 0xa5)),
    { check: 'file is not a database', missing: [] },
  ],
  [
    'schema',
    overwriting('sqlite_schema', -2),
    { check: /malformed[\s\S]*The table keys cannot be read/, missing: ['The table keys cannot be read'] },
  ],
  ['first counts', overwriting('counts', 0), { check: '', missing: ['Rows of the table counts'] }],
  [
    'names',
    overwriting('names', 0),
    {
      check: '',
      missing: ['Rows of the table names', 'names: what was counted under them is under "(damaged …)" now'],
    },
  ],
  [
    'end, which is cut off',
    async (file) => truncate(file, await lastPages(file)),
    { check: 'malformed', missing: ['Rows of the table counts'] },
  ],
  [
    'end, which is zeroed',
    async (file) => write(file, (await lastPages(file)) / 4096, Buffer.alloc(4096 * 20)),
    { check: '', missing: ['Rows of the table counts'] },
  ],
  ['list of free pages', hurtFreelist, { check: /[Ff]reelist/, missing: [] }],
])('a database with a damaged %s', (_what, harm, { check, missing }) => {
  test('is checked, saved, restored, exported and imported, and each says what is missing', async () => {
    const { run, id, saved, exported } = await makeHarmed(harm);
    const checked = await run('check');
    expect([checked.code, checked.stdout + checked.stderr]).toEqual([1, expect.stringMatching(check)]);
    if (checked.stdout === '')
      expect(oneSentence(checked.stderr)).toContain('backup <new file>" saves what can be read');
    const code = missing.length === 0 ? 0 : 1;
    const backup = await run('backup', saved);
    const exporting = await run('export', '--project', id, exported);
    expect([backup.code, exporting.code]).toEqual([code, code]);
    const folder = { HEADCOUNT_DATA_DIR: await newFolder() };
    const restored = await runHere(['restore', saved], folder);
    const sound = await runHere(['check'], folder);
    const again = await runHere(['export', '--project', id, `${exported}.again`], folder);
    const imported = await runHere(['project', 'import', exported], {
      HEADCOUNT_DATA_DIR: await newFolder(),
    });
    const end = JSON.parse((await readFile(exported, 'utf8')).trim().split('\n').at(-1) ?? '');
    expect(
      [restored, sound, again, imported].map(({ code, stderr }) => [code, /defect/.test(stderr)]),
    ).toEqual([restored, sound, again, imported].map(() => [0, false]));
    for (const sentence of missing) {
      for (const { stderr } of [backup, exporting, again]) expect(stderr).toContain(sentence);
      for (const { stdout } of [restored, sound, imported]) expect(stdout).toContain(sentence);
      expect(end.missing).toContainEqual(expect.stringContaining(sentence));
    }
    if (missing.length === 0) expect(end.missing).toBeUndefined();
  });
});

test('of a file whose header and tables are hurt, check names tables and days', async () => {
  const { run } = await makeHarmed(async (file, pages) => {
    await overwriting('counts', 10)(file, pages);
    await write(file, 0, Buffer.alloc(100, 0xa5));
  });
  const { code, stdout } = await run('check');
  expect([code, stdout]).toEqual([1, expect.stringContaining('file is not a database')]);
  expect(stdout).toMatch(/Rows of the table counts of the days 2024-\d\d-\d\d/);
});

test('of a table with keys that are texts, all rows but those of damaged pages are saved', async () => {
  const { run, saved } = await makeHarmed(async (file) => {
    const db = new Database(file);
    const note = db.prepare("insert into dropped values (1, 20000, 'bot', ?, 1)");
    db.transaction(() => {
      for (let i = 0; i < 5000; i++) note.run(`/docs/section-${i % 7}/page-${i}`);
    })();
    db.pragma('wal_checkpoint(truncate)');
    const leaves = db
      .prepare<[], Page>(
        "select name, pageno as number from dbstat where pagetype = 'leaf' and name = 'dropped' order by path",
      )
      .all();
    db.close();
    for (const leaf of [0, 5, 6, 40]) await write(file, Number(leaves[leaf]?.number) - 1, pageOf(0xa5));
  });
  const backup = await run('backup', saved);
  expect([backup.code, backup.stderr.match(/Rows of the table dropped/g)?.length]).toEqual([1, 3]);
  expect(query<number>(saved, 'select count(*) from dropped')[0]).toBeGreaterThan(4500);
});

test('where the first page is lost, commands and the start say to restore a backup', async () => {
  const { run, id, saved, exported } = await makeHarmed((file) => write(file, 0, pageOf(0xa5)));
  for (const args of [['check'], ['backup', saved], ['export', '--project', id, exported]]) {
    const { code, stderr } = await run(...args);
    expect([code, oneSentence(stderr)]).toEqual([1, expect.stringContaining('Restore the newest backup')]);
  }
  expect([existsSync(saved), existsSync(exported)]).toEqual([false, false]);
  for (const args of [['project', 'list'], ['serve']]) {
    const { code, stderr } = await run(...args);
    expect([code, oneSentence(stderr)]).toEqual([
      1,
      expect.stringContaining('backup <new file>" saves what can be read'),
    ]);
  }
});

test('a project whose row is lost is saved under another id, with its counts', async () => {
  const { run, id, saved, exported } = await makeHarmed(overwriting('projects', 0));
  const check = await run('check');
  expect([check.code, check.stdout]).toEqual([
    1,
    expect.stringContaining('Rows of the table projects cannot be read'),
  ]);
  const lost = await run('export', '--project', id, exported);
  expect([lost.code, oneSentence(lost.stderr)]).toEqual([
    1,
    expect.stringContaining('backup <new file>" saves what can be read'),
  ]);
  expect((await run('backup', saved)).stderr).toContain('what can be read of it belongs to damaged-1 now');
  const folder = { HEADCOUNT_DATA_DIR: await newFolder() };
  await runHere(['restore', saved], folder);
  expect((await runHere(['project', 'list'], folder)).stdout).toContain('(damaged 1)');
  const again = await runHere(['export', '--project', 'damaged-1', '--format', 'csv', exported], folder);
  const [, ...rows] = (await readFile(exported, 'utf8')).trim().split('\r\n');
  expect([again.code, rows.length]).toEqual([0, 12_000 + 2]);
  expect(rows.at(-1)).toContain(',missing,,');
});

test('what a damaged log has lost is gone, and the rest is sound', async () => {
  const { run, saved } = await makeHarmed(hurtLog);
  expect([(await run('check')).code, (await run('backup', saved)).code]).toEqual([0, 0]);
});

test('an export to standard output that meets damage is cut, and says to name a file', async () => {
  const { run, id } = await makeHarmed(overwriting('counts', 10));
  const { code, stderr } = await run('export', '--project', id, '-');
  expect([code, stderr.trim().split('\n').at(-1)]).toEqual([
    1,
    expect.stringContaining('name a file in place of "-"'),
  ]);
});

test('a running server answers what is damaged 503 for good, and the rest as ever', async () => {
  const dataDir = await newFolder();
  const env = { HEADCOUNT_DATA_DIR: dataDir };
  const pages = await makeProject(dataDir);
  const [id = ''] = query<string>(databaseIn(dataDir), 'select public_id from projects');
  const key = (await runHere(['key', 'add', '--project', id, '--scope', 'admin'], env)).stdout;
  const headers = { authorization: `Bearer ${/hc_admin_\w+/.exec(key)?.[0]}` };
  await overwriting('counts', 0)(databaseIn(dataDir), pages);
  const server = await startProcess(env);
  const get = async (path: string) => {
    const response = await fetch(server.url + path, { headers });
    return [response.status, response.headers.get('retry-after'), await response.text()];
  };
  expect(await get('/readyz')).toEqual([
    503,
    null,
    expect.stringContaining('is damaged: \\"headcount check\\"'),
  ]);
  expect(await get(`/v1/analytics/${id}/views?dateFrom=2024-10-04&dateTo=2024-10-05`)).toEqual([
    503,
    null,
    expect.stringContaining('The database is damaged where this needs it; nothing was changed.'),
  ]);
  expect(await get(`/v1/analytics/${id}/annotations`)).toEqual([200, null, expect.anything()]);
  expect(await get('/healthz')).toEqual([200, null, expect.anything()]);
  server.signal('SIGTERM');
  expect(await server.ended).toBe(0);
});

/** Overwrites the pages that tables and indexes begin with. */
const hurtRoots =
  (...names: string[]): Harm =>
  async (file) => {
    for (const name of names) {
      const [page] = query<number>(file, `select rootpage from sqlite_schema where name = '${name}'`);
      await write(file, Number(page) - 1, pageOf(0xa5));
    }
  };

describe('a server whose start reads what is damaged', () => {
  async function startHurt(harm: Harm) {
    const dataDir = await newFolder();
    const env = { HEADCOUNT_DATA_DIR: dataDir };
    const added = await runHere(['project', 'add', '--name', 'Docs', '--json'], env);
    const project = JSON.parse(added.stdout);
    await harm(databaseIn(dataDir), []);
    const server = await startProcess(env);
    const status = async (path: string, headers: Record<string, string>) =>
      (await fetch(server.url + path, { headers })).status;
    const report = `/v1/analytics/${project.projectId}/views`;
    return {
      server,
      project,
      isReady: () => status('/readyz', {}),
      report: (key: string = project.adminKey) => status(report, { authorization: `Bearer ${key}` }),
      session: () => status('/v1/admin/session', { cookie: `headcount_session=${'A'.repeat(43)}` }),
      stop: async () => {
        server.signal('SIGTERM');
        expect(await server.ended).toBe(0);
      },
    };
  }

  test('goes on counting and reporting, and what it cannot look up is answered 503', async () => {
    const hurt = await startHurt(
      hurtRoots('sessions', 'administrator', 'secrets', 'versions', 'users', 'keys_by_change'),
    );
    await visit(hurt.server, hurt.project, [1, 2]);
    expect([await hurt.report(), await hurt.session(), await hurt.isReady()]).toEqual([200, 503, 503]);
    expect(hurt.server.output.stderr).toContain('is damaged');
    // A password that cannot be read is not to be set anew.
    expect(hurt.server.output.stdout).not.toContain('Dashboard: set its password');
    await hurt.stop();
  });

  test('counts without the table of keys, and answers every key 503', async () => {
    const hurt = await startHurt(hurtRoots('keys'));
    await visit(hurt.server, hurt.project, [1, 2]);
    expect([await hurt.report(), await hurt.session(), await hurt.isReady()]).toEqual([503, 200, 503]);
    await hurt.stop();
  });

  test('counts the projects that it can read, and answers hits of others 503', async () => {
    const hurt = await startHurt(async (file) => {
      const db = new Database(file);
      const add = db.prepare(
        'insert into projects (public_id, settings, created_at) select ?, settings, created_at from projects where id = 1',
      );
      db.transaction(() => {
        for (let i = 0; i < 200; i++) add.run(`project${i}`);
      })();
      db.exec(
        "insert into keys (id, hash, name, scope, project, created_at, networks) select 'lost', 'aa', 'lost', 'admin', max(id), '', '[]' from projects",
      );
      db.pragma('wal_checkpoint(truncate)');
      const [leaf] = db
        .prepare<[], number>(
          "select pageno from dbstat where pagetype = 'leaf' and name = 'projects' order by path desc",
        )
        .pluck()
        .all();
      db.close();
      await write(file, Number(leaf) - 1, pageOf(0xa5));
    });
    await visit(hurt.server, hurt.project, [1, 2]);
    const lost = await fetch(`${hurt.server.url}/v1/hit`, {
      method: 'POST',
      body: JSON.stringify({ p: 'project199', u: 'https://docs.example.com/' }),
    });
    expect([await hurt.report(), lost.status, await hurt.isReady()]).toEqual([200, 503, 503]);
    await hurt.stop();
  });

  test('ends where no project can be read, and says what saves the rest', async () => {
    const { run, saved } = await makeHarmed(hurtRoots('projects'));
    const { code, stderr } = await run('serve');
    expect([code, stderr.trim().split('\n').at(-1)]).toEqual([
      1,
      expect.stringMatching(
        /no row of its table projects can be read.* check" lists.* backup <new file>" saves/,
      ),
    ]);
    expect((await run('backup', saved)).code).toBe(1);
  });
});
