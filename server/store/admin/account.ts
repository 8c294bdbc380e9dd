import type { Sql } from '../../database/sql.ts';

/** Somebody who is signed in to the dashboard. */
export interface Session {
  /** Lower-case hexadecimal SHA-256 of the token in the cookie; the token itself is never stored. */
  hash: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** The same, of the last use; up to an hour behind. */
  usedAt: number;
}

/** Sessions of the administrator, or of one user, at once, however many begin together; the one that was used longest ago makes room. */
export const maxSessions = 100;

export interface Account {
  password: string | null;
}

/**
 * Whoever decides by an account comes before or after whoever changes it.
 *
 * @param userId null: the administrator
 * @returns undefined: there is no such user
 */
export async function lockAccount(sql: Sql, userId: string | null): Promise<Account | undefined> {
  const { forUpdate } = sql.dialect;
  const [account] =
    userId === null
      ? await sql.query<Account>(`select password from administrator ${forUpdate}`)
      : await sql.query<Account>(`select password from users where id = $1 ${forUpdate}`, [userId]);
  return account;
}
