import type { Sql } from './sql.ts';

/** The data that processes keep in memory completely; every change raises its version. */
export const kinds = ['directory', 'sessions'] as const;

export type Kind = (typeof kinds)[number];
export type Versions = Record<Kind, number>;

/**
 * One transaction that may change data that processes keep in memory; returns whether it did. Changes of one kind are
 * serialized, so a process that has read a version has all changes before it.
 *
 * @param apply gets the version that it makes
 */
export function change(
  sql: Sql,
  kind: Kind,
  apply: (sql: Sql, version: number) => Promise<boolean>,
): Promise<boolean> {
  return sql.transaction(async (transaction) => {
    const [row] = await transaction.query<{ version: number }>(
      `select version + 1 as version from versions where what = $1 ${sql.dialect.forUpdate}`,
      [kind],
    );
    const changed = await apply(transaction, row?.version ?? 0);
    if (changed) await raiseVersion(transaction, kind);
    return changed;
  });
}

/** In a transaction that changes this too. */
export async function raiseVersion(sql: Sql, kind: Kind): Promise<void> {
  await sql.query('update versions set version = version + 1 where what = $1', [kind]);
  await sql.notify(kind);
}

/** Where they are lost nothing can be changed, and 0 stays. */
export async function readVersions(sql: Pick<Sql, 'salvage'>): Promise<Versions> {
  const rows = await sql.salvage(['versions'], (read) =>
    read.query<{ what: Kind; version: number }>('select what, version from versions'),
  );
  const versions = new Map(rows.map(({ what, version }) => [what, version]));
  return { directory: versions.get('directory') ?? 0, sessions: versions.get('sessions') ?? 0 };
}
