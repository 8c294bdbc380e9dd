import { runIn } from './postgres-client.ts';

// A database is empty again without its being made again: its tables get the rows back that they had at first.

/** Keeps what migrations wrote into tables, in one table of its own. */
export async function noteFirstRows(url: string): Promise<void> {
  await runIn(
    url,
    `create schema at_first;
     create table at_first.rows (name text, row json);
     do $$ declare t record; begin
       for t in ${tables} loop
         execute format('insert into at_first.rows select %L, row_to_json(x) from %s x', t.name, t.name);
       end loop;
     end $$`,
  );
}

/** Nobody may have it open. */
export async function emptyDatabase(url: string): Promise<void> {
  await runIn(
    url,
    `set session_replication_role = replica;
     do $$ declare t record; begin
       for t in ${tables} loop
         execute format('delete from %s', t.name);
         execute format('insert into %s overriding system value select r.* from at_first.rows f,
           json_populate_record(null::%s, f.row) r where f.name = %L', t.name, t.name, t.name);
       end loop;
     end $$`,
  );
}

const tables = `(select c.oid::regclass::text as name from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition)`;
