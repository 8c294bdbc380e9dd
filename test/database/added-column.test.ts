import { spawn } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runStarted } from '../support/child.ts';
import { databaseIn, temporaryFolders } from '../support/data-folders.ts';
import { leaveOut } from '../support/machine/left-out.ts';
import { dropDatabase, hasPostgres, makeEmptyDatabase, runIn } from '../support/store/shared-postgres.ts';

// What somebody adds to the database is declared and has a migration, and no other line of the sources knows of it: a copy of
// them has it here. Nothing of it may be lost on any of the ways that data takes.

const root = join(import.meta.dirname, '..', '..');
const newFolder = temporaryFolders();
const secretKey = Buffer.alloc(32, 'added').toString('base64');
const urls: string[] = [];
let copy: string;
afterAll(async () => {
  for (const url of urls) await dropDatabase(url);
});

const declarations: [string, string][] = [
  [
    "    kind: 'text',\n    text: 'text',\n    touched",
    "    kind: 'text',\n    author: 'text?',\n    weight: 'int',\n    text: 'text',\n    touched",
  ],
  [
    "      kind: 'kind',\n      text",
    "      kind: 'kind',\n      author: 'author',\n      weight: 'weight',\n      text",
  ],
];

const addedTable = `
export const notes = table('notes', {
  columns: { project: 'int', id: 'text', at: 'bigint', text: 'text?', is_done: 'boolean', about: 'bytea?', tags: 'text' },
  key: ['project', 'id'],
  references: { project: 'projects' },
  indexes: ['project, at'],
  archive: {
    type: 'note',
    order: 't.at, t.id',
    fields: { id: 'id', at: 'at:time', text: 'text', isDone: 'is_done', about: 'about:base64', tags: 'tags:json' },
  },
});
`;

const migrations = {
  sqlite: `alter table marks add column author text;
    alter table marks add column weight integer not null default 0;
    create table notes (project integer not null references projects (id) on delete cascade, id text not null,
      at integer not null, text text, is_done integer not null, about blob, tags text not null, primary key (project, id)) strict, without rowid;
    create index notes_by_time on notes (project, at);`,
  postgres: `alter table marks add column author text, add column weight int not null default 0;
    create table notes (project int not null references projects (id) on delete cascade, id text collate "C" not null,
      at bigint not null, text text, is_done boolean not null, about bytea, tags text not null, primary key (project, id));
    create index notes_by_time on notes (project, at);`,
};

beforeAll(async () => {
  copy = await newFolder();
  for (const name of ['server', 'shared', 'package.json', 'headcount.js', 'own-node.js', 'launch.sh'])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  for (const name of ['node_modules', 'dist']) symlinkSync(join(root, name), join(copy, name));
  const file = join(copy, 'server/database/tables/sites.ts');
  const changed = declarations.reduce(
    (text, [from, to]) => {
      expect(text).toContain(from);
      return text.replace(from, to);
    },
    readFileSync(file, 'utf8'),
  );
  writeFileSync(file, changed + addedTable);
  for (const [engine, text] of Object.entries(migrations)) {
    const folder = join(copy, 'server/store', engine, 'migrations');
    const newest = Math.max(...readdirSync(folder).map((name) => Number(name.slice(0, 4))));
    writeFileSync(join(folder, `${String(newest + 1).padStart(4, '0')}-notes.sql`), text);
  }
});

async function run(args: string[], env: Record<string, string>, input = ''): Promise<string> {
  const child = spawn(process.execPath, [join(copy, 'headcount.js'), ...args], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: join(copy, 'compiled'),
      HEADCOUNT_OFFLINE: '1',
      HEADCOUNT_SECRET_KEY: secretKey,
      ...env,
    },
  });
  const { code, stdout, stderr } = await runStarted(child, input);
  expect([args, code, stderr]).toEqual([args, 0, expect.any(String)]);
  return stdout;
}

const folderEnv = async () => ({ HEADCOUNT_DATA_DIR: await newFolder() });

async function postgresEnv(): Promise<{ HEADCOUNT_DATA_DIR: string; HEADCOUNT_DATABASE_URL: string }> {
  const url = await makeEmptyDatabase();
  urls.push(url);
  return { ...(await folderEnv()), HEADCOUNT_DATABASE_URL: url };
}

const selected = {
  marks: 'select author, weight from marks order by weight',
  notes: 'select id, at, text, is_done as done, about, tags from notes order by at',
};

/** As both engines have them. */
async function read(env: { HEADCOUNT_DATA_DIR: string; HEADCOUNT_DATABASE_URL?: string }): Promise<unknown> {
  const { HEADCOUNT_DATABASE_URL: url, HEADCOUNT_DATA_DIR: folder } = env;
  const db = url === undefined ? new Database(databaseIn(folder), { readonly: true }) : undefined;
  const rows = async (sql: string) =>
    url === undefined ? db?.prepare<[], object>(sql).all() : await runIn<object>(url, sql);
  const found = { marks: await rows(selected.marks), notes: await rows(selected.notes) };
  db?.close();
  return JSON.parse(JSON.stringify(found), (key, value) =>
    key === 'done' ? Boolean(value) : key === 'at' ? Number(value) : value,
  );
}

test('a column and a table that are declared and migrated come along wherever the database goes', async (context) => {
  const source = await folderEnv();
  const { projectId } = JSON.parse(await run(['project', 'add', '--name', 'Docs', '--json'], source)) as {
    projectId: string;
  };
  for (const text of ['First', 'Second']) await run(['mark', 'add', projectId, '--text', text], source);
  const db = new Database(databaseIn(source.HEADCOUNT_DATA_DIR));
  db.exec(`update marks set author = 'Ann', weight = 7 where text = 'First';
    insert into notes values (1, 'n1', 1790000000000, 'a' || char(10) || 'b', 1, x'00ff', '["x"]'), (1, 'n2', 1790000000001, null, 0, null, '[]')`);
  db.close();
  const filled = await read(source);
  expect(filled).toEqual({
    marks: [
      { author: null, weight: 0 },
      { author: 'Ann', weight: 7 },
    ],
    notes: [
      {
        id: 'n1',
        at: 1790000000000,
        text: 'a\nb',
        done: true,
        about: { type: 'Buffer', data: [0, 255] },
        tags: '["x"]',
      },
      { id: 'n2', at: 1790000000001, text: null, done: false, about: null, tags: '[]' },
    ],
  });

  const restored = await folderEnv();
  const backup = join(await newFolder(), 'backup.db');
  await run(['backup', backup], source);
  await run(['restore', backup], restored);
  expect(await read(restored)).toEqual(filled);

  const exported = await run(['export', '--project', projectId, '-'], source);
  const imported = await folderEnv();
  await run(['project', 'import', '-'], imported, exported);
  expect(await read(imported)).toEqual(filled);
  expect(await run(['export', '--project', projectId, '-'], imported)).toBe(exported);
  expect(await run(['check'], imported)).not.toContain('notes');

  // As an export of the version before, which has nothing of it.
  const older = exported.replace(/^\{"type":"note".*\n/gm, '').replace(/"author":.*?"weight":\d,/g, '');
  const records = older.trim().split('\n');
  records[records.length - 1] = JSON.stringify({ type: 'end', records: records.length - 1 });
  const fromOlder = await folderEnv();
  await run(['project', 'import', '-'], fromOlder, `${records.join('\n')}\n`);
  expect(await read(fromOlder)).toEqual({ marks: Array(2).fill({ author: null, weight: 0 }), notes: [] });

  if (!(await hasPostgres())) leaveOut(context, 'PostgreSQL is not installed');
  const taken = await postgresEnv();
  await run(['project', 'import', '-'], taken, exported);
  expect(await read(taken)).toEqual(filled);
  expect(await run(['export', '--project', projectId, '-'], taken)).toBe(exported);

  const moved = await postgresEnv();
  await run(['move', '--to', 'postgres'], {
    ...source,
    HEADCOUNT_DATABASE_URL: moved.HEADCOUNT_DATABASE_URL,
  });
  expect(await read(moved)).toEqual(filled);
  const back = await folderEnv();
  await run(['move', '--to', 'sqlite'], { ...back, HEADCOUNT_DATABASE_URL: moved.HEADCOUNT_DATABASE_URL });
  expect(await read(back)).toEqual(filled);

  for (const env of [back, moved]) {
    await run(['project', 'remove', projectId, '--yes'], env);
    expect(await read(env)).toEqual({ marks: [], notes: [] });
  }
});
