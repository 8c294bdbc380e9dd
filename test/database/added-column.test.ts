import { spawn } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sqliteTypes, type Type } from '../../server/database/tables/table.ts';
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
  ['day:date, kind, text', 'day:date, kind, author, weight, text'],
];

/** A value of each type that a column of both engines may be declared with: as SQLite has it, and as it is read of either. */
const values = {
  smallint: ['-32768', -32768],
  int: ['2147483647', 2147483647],
  bigint: ['-9007199254740991', -9007199254740991],
  boolean: ['1', true],
  text: [`'a' || char(10) || '{ü"\\,'`, 'a\n{ü"\\,'],
  json: [`'{"b": [1, "x", null], "a": {}}'`, { b: [1, 'x', null], a: {} }],
  bytea: ["x'00ff'", '00ff'],
  'int[]': ["'[1, -2147483648]'", [1, -2147483648]],
  'bigint[]': ["'[]'", []],
  'text[]': [`'["", "a\\\\\\"b,", "{NULL}", "é"]'`, ['', 'a\\"b,', '{NULL}', 'é']],
} as const satisfies Record<Exclude<Type, `packed ${string}`>, readonly [string, unknown]>;
const types = Object.keys(values) as (keyof typeof values)[];
const nameOf = (type: string) => `of_${type.replace('[]', 's')}`;
const fieldOf = (column: string) => column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** A column of each type that is always set, and one that may be null. */
const ofTypes = types.flatMap((type) => [
  { name: nameOf(type), type, isNullable: false },
  { name: `${nameOf(type)}_or_null`, type, isNullable: true },
]);

/** A table of a project, of a job, of an account and of nobody. */
const addedTables = [
  { name: 'notes', owner: 'project', of: 'projects', type: 'int', id: '1' },
  { name: 'reviews', owner: 'job', of: 'jobs', type: 'int', id: '1' },
  { name: 'badges', owner: 'user_id', of: 'users', type: 'text', id: "'user_1'" },
  { name: 'notices', owner: 'place', of: null, type: 'int', id: '7' },
] as const;

const declaredTable = ({ name, owner, of, type }: (typeof addedTables)[number]) => `
export const ${name} = table('${name}', {
  columns: { ${owner}: '${type}', id: 'text', ${ofTypes.map((one) => `${one.name}: '${one.type}${one.isNullable ? '?' : ''}'`)} },
  key: ['${owner}', 'id'],
  ${of === null ? '' : `references: { ${owner}: '${of}' },`}
  ${
    of === 'projects' || of === 'jobs'
      ? `archive: { type: '${name}', order: 't.id', fields: '${of === 'jobs' ? 'job, ' : ''}id, ${ofTypes.map((one) => fieldOf(one.name)).join(', ')}' },`
      : ''
  }
});
`;

const migrated = (engine: 'sqlite' | 'postgres') =>
  addedTables.map(({ name, owner, of, type }) => {
    const columns = [{ name: owner, type, isNullable: false }, ...ofTypes].map((one) => {
      const kind = engine === 'sqlite' ? sqliteTypes[one.type] : one.type;
      return `${one.name} ${kind} ${one.isNullable ? '' : 'not null'}`;
    });
    return `create table ${name} (id text not null, ${columns}, primary key (${owner}, id)
      ${of === null ? '' : `, foreign key (${owner}) references ${of} (id) on delete cascade`}) ${engine === 'sqlite' ? 'strict' : ''};`;
  });

const migrations = {
  sqlite: `alter table marks add column author text;
    alter table marks add column weight integer not null default 0;
    ${migrated('sqlite').join('')}`,
  postgres: `alter table marks add column author text, add column weight int not null default 0;
    ${migrated('postgres').join('')}`,
};

/** A row with all values, and one with those that are always set. */
const filledTables = addedTables.map(
  ({ name, id }) => `
    insert into ${name} values ('n1', ${id}, ${ofTypes.map(({ type }) => values[type][0])});
    insert into ${name} values ('n2', ${id}, ${ofTypes.map(({ type, isNullable }) => (isNullable ? 'null' : values[type][0]))});`,
);

/** As they are read again. */
const allRows = [false, true].map((isNull, i) => ({
  id: `n${i + 1}`,
  ...Object.fromEntries(
    ofTypes.map(({ name, type, isNullable }) => [name, isNull && isNullable ? null : values[type][1]]),
  ),
}));

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
  writeFileSync(file, changed + addedTables.map(declaredTable).join(''));
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

/** As both engines have them. */
async function read(env: { HEADCOUNT_DATA_DIR: string; HEADCOUNT_DATABASE_URL?: string }) {
  const { HEADCOUNT_DATABASE_URL: url, HEADCOUNT_DATA_DIR: folder } = env;
  const db = url === undefined ? new Database(databaseIn(folder), { readonly: true }) : undefined;
  const rows = async (sql: string) =>
    url === undefined
      ? (db?.prepare<[], Record<string, unknown>>(sql).all() ?? [])
      : await runIn<Record<string, unknown>>(url, sql);
  const found: Record<string, unknown> = {
    marks: await rows('select author, weight from marks order by weight'),
  };
  for (const { name } of addedTables) {
    const all = await rows(`select id, ${ofTypes.map((one) => one.name)} from ${name} order by id`);
    found[name] = all.map(({ id, ...row }) => ({
      id,
      ...Object.fromEntries(ofTypes.map((one) => [one.name, plain(one.type, row[one.name])])),
    }));
  }
  db?.close();
  return found;
}

function plain(type: keyof typeof values, value: unknown): unknown {
  if (value === null) return null;
  if (Buffer.isBuffer(value)) return value.toString('hex');
  if (type === 'boolean') return Boolean(value);
  if (type === 'bigint') return Number(value);
  const isText = typeof value === 'string' && (type === 'json' || type.endsWith('[]'));
  return isText ? JSON.parse(value) : value;
}

test('a column and a table that are declared and migrated come along wherever the database goes', async (context) => {
  const source = await folderEnv();
  const { projectId } = JSON.parse(await run(['project', 'add', '--name', 'Docs', '--json'], source)) as {
    projectId: string;
  };
  for (const text of ['First', 'Second']) await run(['annotation', 'add', projectId, '--text', text], source);
  const db = new Database(databaseIn(source.HEADCOUNT_DATA_DIR));
  db.exec(`update marks set author = 'Ann', weight = 7 where text = 'First';
    insert into jobs (public_id, project, status, repository, ref, model, created_at, active_at, last_event)
      values ('job_1', 1, 'completed', 'https://example.com/a/b', '', 'openai/x', 1790000000000, 1790000000000, 0);
    insert into users (id, name, created_at) values ('user_1', 'ann', '2026-11-29T00:00:00.000Z');
    ${filledTables.join('')}`);
  db.close();
  const filled = await read(source);
  const marks = [
    { author: null, weight: 0 },
    { author: 'Ann', weight: 7 },
  ];
  expect(filled).toEqual({ marks, notes: allRows, reviews: allRows, badges: allRows, notices: allRows });
  // Of nobody's project.
  const others = { badges: [], notices: [] };

  const restored = await folderEnv();
  const backup = join(await newFolder(), 'backup.db');
  await run(['backup', backup], source);
  await run(['restore', backup], restored);
  expect(await read(restored)).toEqual(filled);

  const exported = await run(['export', '--project', projectId, '-'], source);
  const imported = await folderEnv();
  await run(['project', 'import', '-'], imported, exported);
  expect(await read(imported)).toEqual({ ...filled, ...others });
  expect(await run(['export', '--project', projectId, '-'], imported)).toBe(exported);
  expect(await run(['check'], imported)).not.toMatch(/notes|reviews/);

  // As an export of the version before, which has nothing of it.
  const older = exported
    .replace(/^\{"type":"(notes|reviews)".*\n/gm, '')
    .replace(/"author":.*?"weight":\d,/g, '');
  const records = older.trim().split('\n');
  records[records.length - 1] = JSON.stringify({ type: 'end', records: records.length - 1 });
  const fromOlder = await folderEnv();
  await run(['project', 'import', '-'], fromOlder, `${records.join('\n')}\n`);
  expect(await read(fromOlder)).toEqual({
    ...{ ...others, notes: [], reviews: [] },
    marks: Array(2).fill({ author: null, weight: 0 }),
  });

  if (!(await hasPostgres())) leaveOut(context, 'PostgreSQL is not installed');
  const taken = await postgresEnv();
  await run(['project', 'import', '-'], taken, exported);
  expect(await read(taken)).toEqual({ ...filled, ...others });
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
    expect(await read(env)).toEqual({ ...filled, marks: [], notes: [], reviews: [] });
  }
});
