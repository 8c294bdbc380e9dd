import type { Queryable } from '../../../database/sql.ts';
import { belongingTo } from '../../../database/tables/tables.ts';
import type { CheckStore, StoreRisk } from '../../store.ts';
import type { Database } from '../database.ts';
import { isDamage } from '../trouble.ts';

/** A table of some pages that is gone with the transaction, so that no files of tables are left to be there. */
async function writeNewPages(db: Queryable): Promise<void> {
  const [row] = await db.query<{ table: string }>(`select 'write_probe_' || pg_backend_pid() as table`);
  await db.query(`create table ${row?.table} (content text)`);
  await db.query(`alter table ${row?.table} alter content set storage plain`);
  await db.query(`insert into ${row?.table} select repeat('x', 7000) from generate_series(1, 32)`);
  await db.query(`drop table ${row?.table}`);
}

/** Checks the database. */
export function checks(database: Database): CheckStore {
  return {
    findDamage: () => database.snapshot(findDamage),
    readMissing: async () => [],
    findRisks: (now) => findRisks(database, now),
    // Waits for a standby where each commit does.
    async probeWriting(size) {
      if (database.damage) throw database.damage;
      await database.query('update headcount_schema set version = version');
      if (size === 'batch') await database.transaction(writeNewPages);
    },
  };
}

/** What of it is shown. */
const maxSentences = 20;

/** Without what is of some minutes. */
const lasting = belongingTo('projects', 'postgres').filter(({ engine }) => engine === undefined);

/** Each answers sentences. A page that cannot be read fails the statement that comes upon it. */
const questions = [
  `select format('PostgreSQL has found %s pages of it with a wrong checksum', checksum_failures) as sentence
   from pg_stat_database where datname = current_database() and checksum_failures > 0`,
  `select format('The index %s is not valid', indexrelid::regclass) as sentence
   from pg_index join pg_class on oid = indrelid
   where not indisvalid and relnamespace = current_schema()::regnamespace`,
  ...lasting.map(
    ({ name }) => `select distinct 'Rows of ${name} belong to a project that is not there' as sentence
     from (select distinct project from ${name}) t where not exists (select from projects p where p.id = t.project)`,
  ),
  ...['name', 'parent'].map(
    (column) => `select format('Counts of project %s have no name', p.public_id) as sentence
     from (select distinct c.project from counts c
       where c.${column} <> 0 and not exists (select from names n where n.project = c.project and n.id = c.${column})) x
       join projects p on p.id = x.project`,
  ),
  `select format('Counts of project %s that are not added up have no name', p.public_id) as sentence
   from (select distinct c.project from pending_counts c cross join lateral increments(c.views, c.sightings) i
     where i.name <> 0 and not exists (select from names n where n.project = c.project and n.id = i.name)) x
     join projects p on p.id = x.project`,
  `select format('Counts of project %s are in the shard of another', p.public_id) as sentence
   from (select distinct project, shard from counts) c join projects p on p.id = c.project where c.shard <> all (shards_of(p.id, p.buckets))`,
];

/** What contradicts itself, a sentence each, or else which tables cannot be read. */
export async function findDamage(db: Queryable): Promise<string[]> {
  const hurt = await findHurtTables(db);
  if (hurt.length > 0) return hurt.slice(0, maxSentences);
  const found: string[] = [];
  for (const question of questions) {
    const rows = await db.query<{ sentence: string }>(question);
    found.push(...rows.map(({ sentence }) => sentence));
  }
  return [...new Set(found)].slice(0, maxSentences);
}

/** Reads all of each table, as a damaged page is found only when it is read. */
async function findHurtTables(db: Queryable): Promise<string[]> {
  const found: string[] = [];
  const tables = await db.query<{ name: string; quoted: string }>(
    `select relname as name, oid::regclass::text as quoted from pg_class
     where relkind = 'r' and relnamespace = current_schema()::regnamespace order by relname`,
  );
  for (const { name, quoted } of tables) {
    await db.query('savepoint table_is_read');
    try {
      await db.query(`select max(length(t::text)) from ${quoted} t`);
      await db.query('release savepoint table_is_read');
    } catch (error) {
      if (!isDamage(error)) throw error;
      await db.query('rollback to savepoint table_is_read');
      found.push(`The table ${name} cannot be read: ${(error as Error).message}`);
    }
  }
  return found;
}

const clockToleranceMs = 10_000;

interface Settings {
  fsync: string;
  commits: string;
  pages: string;
  isReadOnly: boolean;
  mayMakeTables: boolean;
  at: number;
}

/** How the server is set up, a sentence for each setting that a promise of Headcount depends on. */
export async function findRisks(db: Queryable, now: number): Promise<StoreRisk[]> {
  const startedAt = performance.now();
  const [settings] = await db.query<Settings>(
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commits,
       current_setting('full_page_writes') as pages,
       current_setting('default_transaction_read_only')::boolean as "isReadOnly",
       has_schema_privilege(current_schema(), 'create') as "mayMakeTables",
       floor(extract(epoch from clock_timestamp()) * 1000)::bigint as at`,
  );
  if (!settings) return [];
  return [
    ...loss(settings),
    ...rights(settings),
    ...clock(settings.at - now - (performance.now() - startedAt)),
  ];
}

function loss({ fsync, commits, pages }: Settings): StoreRisk[] {
  const off = [
    ...(fsync === 'off' ? ['fsync'] : []),
    ...(commits === 'off' ? ['synchronous_commit'] : []),
    ...(pages === 'off' ? ['full_page_writes'] : []),
  ];
  return off.map((setting) => ({
    kind: 'durability',
    message: `${setting} is off in PostgreSQL, so that hits that were answered with 202 can be lost with the power: set it to on.`,
  }));
}

function rights({ isReadOnly, mayMakeTables }: Settings): StoreRisk[] {
  const risks: StoreRisk[] = [];
  if (isReadOnly) {
    risks.push({
      kind: 'rights',
      message: 'default_transaction_read_only is on in PostgreSQL: nothing can be counted.',
    });
  }
  if (!mayMakeTables) {
    risks.push({
      kind: 'rights',
      message:
        'The database user may not create tables in its schema, but each day needs one for its visitors: "grant create on schema … to …".',
    });
  }
  return risks;
}

function clock(aheadMs: number): StoreRisk[] {
  if (Math.abs(aheadMs) <= clockToleranceMs) return [];
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  return [
    {
      kind: 'clock',
      message: `The clock of the database is ${seconds} seconds ${aheadMs > 0 ? 'ahead of' : 'behind'} that of this machine: have a time server keep both.`,
    },
  ];
}
