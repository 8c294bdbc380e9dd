import type { Queryable } from '../queryable.ts';

export interface LockedAccount {
  password: string | null;
}

/**
 * Whoever decides by an account comes before or after whoever changes it.
 *
 * @param userId null: the administrator
 * @returns undefined: there is no such user
 */
export async function lockAccount(db: Queryable, userId: string | null): Promise<LockedAccount | undefined> {
  const [account] =
    userId === null
      ? await db.query<LockedAccount>('select password from administrator for update')
      : await db.query<LockedAccount>('select password from users where id = $1 for update', [userId]);
  return account;
}
