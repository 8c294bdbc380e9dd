import { StoreError } from '../../store.ts';
import type { Database } from '../database.ts';
import type { Queryable } from '../queryable.ts';

/**
 * Holds everybody to the key of the first, whose instance this leaves in the database: with another the salts of open days
 * could not be read, would be made anew, and visitors would count twice.
 *
 * @throws StoreError where the database is encrypted with another key
 */
export async function requireSharedKey(database: Database, instance: string): Promise<void> {
  if ((await leaveInstance(database, instance)) === instance) return;
  throw new StoreError(
    'unusable',
    `HEADCOUNT_SECRET_KEY is another key than the one that the database ${database.name} is encrypted with, and nothing was changed: set it to the one that all other servers have. If that key is lost or is to be another, stop all servers, give "delete from secret_key" to psql, and start them with the new key: days that are open get new salts, and tokens of projects have to be set anew.`,
  );
}

/** Answers the one that is there, which may be another. */
export async function leaveInstance(db: Queryable, instance: string): Promise<string | undefined> {
  const [kept] = await db.query<{ instance: string }>(
    `insert into secret_key as kept values (1, $1)
     on conflict (id) do update set instance = kept.instance returning instance`,
    [instance],
  );
  return kept?.instance;
}
