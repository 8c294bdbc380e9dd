import { tables } from '../../database/tables/tables.ts';
import { StoreError } from '../store.ts';
import type { Database } from './database.ts';
import { functionNames } from './schema.ts';

interface Rights {
  user: string;
  schema: string | null;
  mayCreate: boolean;
  /** Of a table that the user is no owner of. */
  table: string | null;
  owner: string | null;
  /** That the user may not read or change. */
  denied: string | null;
  /** That the user may not call. */
  function: string | null;
}

/**
 * What a server needs only later: to read and change all tables, and, when days are opened and closed, to make, attach,
 * truncate, vacuum and drop some.
 *
 * @throws StoreError that names the first right that is missing, and how to grant it
 */
export async function requireRights(database: Database): Promise<void> {
  const [rights] = await database.query<Rights>(
    `with own as (
       select c.oid, c.relowner
       from unnest($3::text[]) as t (name)
         join pg_class c on c.oid = to_regclass(t.name)
           or c.oid in (select relid from pg_partition_tree(to_regclass(t.name)))
     ), foreign_table as (select * from own where not pg_has_role(relowner, 'usage') order by oid limit 1)
     select quote_ident(current_user) as user, quote_ident(current_schema()) as schema,
       coalesce(has_schema_privilege(current_schema(), 'create'), false) as "mayCreate",
       (select oid::regclass::text from foreign_table) as table,
       (select quote_ident(pg_get_userbyid(relowner)) from foreign_table) as owner,
       (select oid::regclass::text from pg_class
        where oid in (select to_regclass(name) from unnest($1::text[]) as t (name))
          and not (has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
            and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete'))
        order by oid limit 1) as denied,
       (select oid::regprocedure::text from pg_proc
        where proname = any ($2) and pronamespace = current_schema()::regnamespace
          and not has_function_privilege(oid, 'execute') order by oid limit 1) as function`,
    [namesOf(tables), functionNames(), namesOf(tables.filter(({ postgres }) => postgres?.owned))],
  );
  const missing = rights && findMissing(rights);
  if (missing !== undefined) {
    throw new StoreError('unusable', `The database ${database.name} cannot be used: ${missing}`);
  }
}

const namesOf = (all: typeof tables) => all.map(({ name }) => name);

function findMissing({
  user,
  schema,
  mayCreate,
  table,
  owner,
  denied,
  function: called,
}: Rights): string | undefined {
  if (schema === null) {
    return `its user ${user} may use no schema of its search_path. Have an administrator run: grant usage, create on schema public to ${user}`;
  }
  if (!mayCreate) {
    return `its user ${user} may not create tables in the schema ${schema}, and each day needs one for its visitors. Have an administrator run: grant create on schema ${schema} to ${user}`;
  }
  if (table !== null) {
    return `its user ${user} is not the owner of the table ${table}, whose parts are made and dropped with each day. Have an administrator run: grant ${owner} to ${user}`;
  }
  if (denied !== null) {
    return `its user ${user} may not read and change the table ${denied}. Have an administrator run: grant select, insert, update, delete on all tables in schema ${schema} to ${user}`;
  }
  if (called !== null) {
    return `its user ${user} may not call the function ${called}. Have an administrator run: grant execute on all functions in schema ${schema} to ${user}`;
  }
  return undefined;
}
