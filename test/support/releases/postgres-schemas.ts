import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { runIn } from '../store/postgres-client.ts';

/** The migrations of PostgreSQL before they became one, as files one after the other. */
const packed = join(import.meta.dirname, '..', '..', 'store', 'released', 'postgres-migrations.sql.gz');

/** Rows as the version of a migration writes them, in tables that it made or changed. */
const rows: Readonly<Record<number, string>> = {
  1: `insert into projects (public_id, settings, created_at, buckets, changed)
        values ('p1', '{"name":"Docs"}', '2026-11-22T08:00:00.000Z', 4, 1);
      insert into keys (id, hash, name, scope, project, created_at, changed)
        values ('k1', 'h', 'site', 'ingest', 1, '2026-11-22T08:00:00.000Z', 1);
      insert into secrets values (1, 'token', '\\x01')`,
  2: `insert into names values (1, 5, 1, 0, '/docs');
      update projects set last_name = 5;
      insert into days (project, day, bin, buckets, salt) values (1, 20000, 20000, 4, '\\x02');
      insert into new_names values (1, 1, 1);
      select make_bin(20000);
      insert into seen (shard, bin, day, visitor, sightings) values (1, 20000, 1, 7, '{1,21}');
      insert into counts values (1, 1, 20000, 0, 5, 1, 1, 3, 1, 0, 1, 2, 0)`,
  4: `insert into jobs (public_id, project, status, repository, ref, model, created_at, active_at)
        values ('j1', 1, 'active', 'https://example.com/a', 'main', 'openai/x', 1, 1);
      insert into turns (job, number, prompt, phase, created_at, due_at) values (1, 1, '"do"', 'queued', 1, 1);
      insert into events values (1, 1, 1, 1, 'text', '{"text":"hello"}')`,
  5: "insert into logs (project, head_length, head_hash, bytes, lines) values (1, 10, '\\x03', 20, 2)",
  6: `insert into range_copies values ('gptbot', 1, '[]'), ('catalogue', 3, 'signed')`,
  8: "insert into tallies values (1, 1, 20000, 2, 3, 'GPTBot', '', 4, 5)",
  13: `insert into pending_counts (shard, project, day, size, views, sightings)
        values (1, 1, 20000, 2, '{85899345921}', '{22}')`,
  15: `insert into visit_views (shard, day, human_views, ai_views, visitors, views)
        values (1, 1, 1, 0, '{7}', '{41}')`,
  18: "insert into users (id, name, created_at) values ('u1', 'Ann', '2026-11-23T08:00:00.000Z')",
  29: `insert into log_days (log, day, human_views, ai_views, last_at, sums, besides)
        values (1, 20000, 1, 0, 1, '{5,1,0}', '{}')`,
};

const files = String(gunzipSync(readFileSync(packed)))
  .split(/^--- /m)
  .slice(1);

/** What made it. */
export function statementsOf(number: number, rows: Readonly<Record<number, string>> = {}): string {
  const made = files.slice(0, number).map((text, i) => {
    const [name = '', ...lines] = text.split('\n');
    return (name.endsWith('.citus.sql') ? '' : lines.join('\n')) + (rows[i + 1] ?? '');
  });
  const version = `create table headcount_schema (version int not null); insert into headcount_schema values (${number})`;
  return [version, ...made].join(';\n');
}

/** Those that a later migration changed something of, and the last, each with the statements that make a database of it. */
export const postgresSchemas = files
  .map((_, i) => ({ number: i + 1, next: files[i + 1] }))
  .filter(({ next }) => next === undefined || /^(alter table|delete from)/m.test(next))
  .map(({ number }) => ({ number, statements: statementsOf(number, rows) }));

/** What it has of these rows afterwards: what they hold is kept elsewhere now, or not at all. */
const changed: Readonly<Record<string, (row: Record<string, unknown>) => object | undefined>> = {
  range_copies: (row) => (row.feed === 'catalogue' ? undefined : row),
  log_days: ({ sums, besides, ...row }) => row,
  headcount_schema: () => undefined,
};

/** Of each table, as objects, as they are to be in the newest schema. */
export async function rowsOfAll(url: string): Promise<Record<string, object[]>> {
  const tables = await runIn<{ name: string }>(
    url,
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
  );
  const all = tables.map(({ name }) => `select '${name}' as name, to_jsonb(t) as row from ${name} t`);
  const found = await runIn<{ name: string; row: Record<string, unknown> }>(
    url,
    `select name, row from (${all.join(' union all ')}) x order by name, row::text`,
  );
  const kept = found.map(({ name, row }) => ({ name, row: (changed[name] ?? ((same) => same))(row) }));
  const groups = Object.groupBy(
    kept.filter(({ row }) => row),
    ({ name }) => name,
  );
  return Object.fromEntries(
    Object.entries(groups).map(([name, rows]) => [name, rows?.map(({ row }) => row as object) ?? []]),
  );
}
