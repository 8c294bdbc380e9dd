import { belongingTo } from '../../../database/tables/tables.ts';
import type { Queryable } from '../queryable.ts';
import { isDamage } from '../trouble.ts';

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

/** Reads all of each table, as a page that nobody asks for is not met otherwise. */
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
