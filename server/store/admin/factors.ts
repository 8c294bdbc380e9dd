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
        await endOtherSessions(transaction, userId, keptSession);
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

async function endOtherSessions(sql: Sql, userId: string | null, kept: string): Promise<void> {
  if (userId === null) await sql.query('delete from sessions where hash <> $1', [kept]);
  else await sql.query('delete from user_sessions where user_id = $1 and hash <> $2', [userId, kept]);
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

/** Sessions of the administrator, or of one user, at once, however many begin together; the one that was used longest ago makes room. */
export const maxSessions = 100;

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
