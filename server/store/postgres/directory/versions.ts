import { Changes, type Kind, type VersionSource, type Versions } from '../../changes.ts';
import type { Database } from '../database.ts';
import type { Queryable } from '../queryable.ts';

/**
 * One transaction that may change what nodes hold in memory; answers whether it did. Changes of one kind come one after the
 * other, so that whoever has read a version has all that was changed before it.
 *
 * @param apply is told the version that it makes
 */
export async function change(
  database: Database,
  kind: Kind,
  apply: (db: Queryable, version: number) => Promise<boolean>,
): Promise<boolean> {
  return database.transaction(async (db) => {
    const [row] = await db.query<{ version: number }>(
      'select version + 1 as version from versions where what = $1 for update',
      [kind],
    );
    const changed = await apply(db, row?.version ?? 0);
    if (changed) await raiseVersion(db, kind);
    return changed;
  });
}

/** In a transaction that changes this too, and tells all nodes. */
export async function raiseVersion(db: Queryable, kind: Kind): Promise<void> {
  await db.query('update versions set version = version + 1 where what = $1', [kind]);
  await db.query(`select pg_notify('headcount', $1)`, [kind]);
}

export async function readVersions(db: Queryable): Promise<Versions> {
  const rows = await db.query<{ what: Kind; version: number }>('select what, version from versions');
  const versions = new Map(rows.map(({ what, version }) => [what, version]));
  return { directory: versions.get('directory') ?? 0, sessions: versions.get('sessions') ?? 0 };
}

/** Notices get lost with a connection. */
const pollMs = 1_000;

export async function watchVersions(database: Database): Promise<Changes> {
  const source: VersionSource = {
    readVersions: () => readVersions(database),
    pollMs,
    onNotice: (changed) =>
      database.onNotice((notice) => {
        if (notice === null || notice === 'directory' || notice === 'sessions') changed();
      }),
  };
  return new Changes(source, await readVersions(database));
}
