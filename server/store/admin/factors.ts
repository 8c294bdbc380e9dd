import { has, type Sql } from '../../database/sql.ts';
import { change } from '../../database/versions.ts';

/** What is kept of the second factor of an account. */
export interface StoredFactor {
  /** What codes are made of, encrypted. */
  secret: Uint8Array;
  /** The time step (RFC 6238) of the last code that was accepted: it and those before it are good no more. */
  lastStep: number;
  /** Lower-case hexadecimal SHA-256 of the unused recovery codes. */
  recoveryCodes: readonly string[];
}

/** Proof of the factor: the time step of a code, or the hash of a recovery code. Valid once. */
export type FactorProof = { step: number } | { recoveryCode: string };

export type FactorStore = ReturnType<typeof factors>;

/** Second factors, each of an account: that of a user, or (null) the administrator's. */
export function factors(sql: Sql) {
  const changeAccount = (userId: string | null, apply: (sql: Sql) => Promise<boolean>) =>
    change(sql, 'sessions', async (transaction) => {
      const account = await lockAccount(transaction, userId);
      return account !== undefined && apply(transaction);
    });
  return {
    findFactor: (userId: string | null): Promise<StoredFactor | null> => findFactor(sql, userId),

    /** All other sessions of the account end. Answers false where it has a factor already, or there is no such account. */
    addFactor(userId: string | null, factor: StoredFactor, keptSession: string): Promise<boolean> {
      return changeAccount(userId, async (transaction) => {
        const added = await transaction.query(
          `insert into second_factors (user_id, secret, last_step, recovery_codes) values ($1, $2, $3, $4)
           on conflict do nothing returning last_step`,
          [userId, factor.secret, factor.lastStep, JSON.stringify(factor.recoveryCodes)],
        );
        if (added.length === 0) return false;
        await endSessions(transaction, userId, keptSession);
        return true;
      });
    },

    /** Answers false where the proof was used, or there is no factor. */
    spendProof(userId: string | null, proof: FactorProof): Promise<boolean> {
      return sql.transaction(async (transaction) => {
        await lockAccount(transaction, userId);
        return acceptProof(transaction, userId, proof);
      });
    },

    /** The same, and nothing changes then. */
    replaceRecoveryCodes(
      userId: string | null,
      recoveryCodes: readonly string[],
      proof: FactorProof,
    ): Promise<boolean> {
      return changeAccount(userId, async (transaction) => {
        if (!(await acceptProof(transaction, userId, proof))) return false;
        await transaction.query(
          'update second_factors set recovery_codes = $2 where user_id is not distinct from $1',
          [userId, JSON.stringify(recoveryCodes)],
        );
        return true;
      });
    },

    /** The same. @param proof null: for callers who need no proof */
    removeFactor(userId: string | null, proof: FactorProof | null): Promise<boolean> {
      return changeAccount(userId, async (transaction) => {
        if (proof !== null && !(await acceptProof(transaction, userId, proof))) return false;
        return has(
          transaction,
          'delete from second_factors where user_id is not distinct from $1 returning last_step',
          [userId],
        );
      });
    },
  };
}

/** Whether it is the proof that the locked account requires: none where it has no factor. It is used up then. */
export async function acceptProof(
  sql: Sql,
  userId: string | null,
  proof: FactorProof | null,
): Promise<boolean> {
  const factor = await findFactor(sql, userId);
  if (factor === null) return proof === null;
  const spent = proof && spend(factor, proof);
  if (spent === null) return false;
  await sql.query(
    `update second_factors set last_step = $2, recovery_codes = $3
     where user_id is not distinct from $1`,
    [userId, spent.lastStep, JSON.stringify(spent.recoveryCodes)],
  );
  return true;
}

export async function findFactor(sql: Sql, userId: string | null): Promise<StoredFactor | null> {
  const [row] = await sql.query<StoredFactor & { recoveryCodes: string }>(
    `select secret, last_step as "lastStep", recovery_codes as "recoveryCodes"
     from second_factors where user_id is not distinct from $1`,
    [userId],
  );
  return row ? { ...row, recoveryCodes: JSON.parse(row.recoveryCodes) as string[] } : null;
}

/** The factor once the proof was used; null: it was used before. */
function spend(factor: StoredFactor, proof: FactorProof): StoredFactor | null {
  if ('step' in proof) return proof.step > factor.lastStep ? { ...factor, lastStep: proof.step } : null;
  const recoveryCodes = factor.recoveryCodes.filter((hash) => hash !== proof.recoveryCode);
  return recoveryCodes.length < factor.recoveryCodes.length ? { ...factor, recoveryCodes } : null;
}

/** Somebody who is signed in to the dashboard. */
export interface Session {
  /** Lower-case hexadecimal SHA-256 of the token in the cookie; the token itself is never stored. */
  hash: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** The same, of the last use; up to an hour behind. */
  usedAt: number;
}

export interface Account {
  password: string | null;
}

/**
 * Serializes decisions about an account with changes of it.
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

/** Sessions of the administrator, or of one user, at once, however many begin together; the one that was used longest ago makes room. */
export const maxSessions = 100;

/** The administrator's sessions have a table of their own; those of a user are by `$1`. */
const sessionsOf = (userId: string | null) =>
  userId === null
    ? { table: 'sessions', are: 'cast($1 as text) is null', owner: '' }
    : { table: 'user_sessions', are: 'user_id = $1', owner: 'user_id, ' };

/**
 * Sets the password of who is signed in and stays so; all other sessions of the account end, and so does its link. False, and
 * nothing changes: the password is another by now.
 */
export function changePassword(
  sql: Sql,
  userId: string | null,
  { current, next, keptSession }: { current: string; next: string; keptSession: string },
): Promise<boolean> {
  return change(sql, 'sessions', async (transaction) => {
    if ((await lockAccount(transaction, userId))?.password !== current) return false;
    await setPassword(transaction, userId, next);
    await endSessions(transaction, userId, keptSession);
    return true;
  });
}

/** False: the password is not this one any more, or the proof is not what the account asks for. */
export function startSession(
  sql: Sql,
  userId: string | null,
  { session, password, proof }: { session: Session; password: string; proof: FactorProof | null },
): Promise<boolean> {
  return change(sql, 'sessions', async (transaction) => {
    if ((await lockAccount(transaction, userId))?.password !== password) return false;
    if (!(await acceptProof(transaction, userId, proof))) return false;
    await addSession(transaction, userId, session);
    return true;
  });
}

/** The one-time link is gone with the password of before. @param password null: only other ways to sign in are left */
export async function setPassword(sql: Sql, userId: string | null, password: string | null): Promise<void> {
  if (userId === null)
    await sql.query('update administrator set password = $1, setup = null, setup_expires_at = null', [
      password,
    ]);
  else
    await sql.query('update users set password = $2, link = null, link_expires_at = null where id = $1', [
      userId,
      password,
    ]);
}

export async function addSession(
  sql: Sql,
  userId: string | null,
  { hash, createdAt, usedAt }: Session,
): Promise<void> {
  const { table, are, owner } = sessionsOf(userId);
  const values = [...(userId === null ? [] : [userId]), hash, createdAt, usedAt];
  await sql.query(
    `insert into ${table} (${owner}hash, created_at, used_at) values (${values.map((_, i) => `$${i + 1}`)})`,
    values,
  );
  await sql.query(
    `delete from ${table} where ${are} and hash not in (
       select hash from ${table} where ${are} order by used_at desc, created_at desc limit $2)`,
    [userId, maxSessions],
  );
}

/** Answers whether there were any. @param kept the one that stays */
export async function endSessions(sql: Sql, userId: string | null, kept = ''): Promise<boolean> {
  const { table, are } = sessionsOf(userId);
  return has(sql, `delete from ${table} where ${are} and hash <> $2 returning hash`, [userId, kept]);
}
