import { type FactorProof, type FactorStore, type StoredFactor, spend } from '../../admin/factor-store.ts';
import type { Changes } from '../../changes.ts';
import type { Database } from '../database.ts';
import { change } from '../directory/versions.ts';
import type { Queryable } from '../queryable.ts';
import { lockAccount } from './accounts.ts';

/** What accounts ask for besides the password. */
export class Factors implements FactorStore {
  readonly #database: Database;
  readonly #changes: Changes;

  constructor(database: Database, changes: Changes) {
    this.#database = database;
    this.#changes = changes;
  }

  async findFactor(userId: string | null): Promise<StoredFactor | null> {
    return findFactor(this.#database, userId);
  }

  async addFactor(userId: string | null, factor: StoredFactor, keptSession: string): Promise<boolean> {
    return this.#change(async (transaction) => {
      if ((await lockAccount(transaction, userId)) === undefined) return false;
      const added = await transaction.query(
        `insert into second_factors (user_id, secret, last_step, recovery_codes) values ($1, $2, $3, $4)
         on conflict do nothing returning last_step`,
        [userId, factor.secret, factor.lastStep, JSON.stringify(factor.recoveryCodes)],
      );
      if (added.length === 0) return false;
      await endOtherSessions(transaction, userId, keptSession);
      return true;
    });
  }

  async spendProof(userId: string | null, proof: FactorProof): Promise<boolean> {
    return this.#database.transaction(async (transaction) => {
      await lockAccount(transaction, userId);
      return acceptProof(transaction, userId, proof);
    });
  }

  async replaceRecoveryCodes(
    userId: string | null,
    recoveryCodes: readonly string[],
    proof: FactorProof,
  ): Promise<boolean> {
    return this.#change(async (transaction) => {
      await lockAccount(transaction, userId);
      if (!(await acceptProof(transaction, userId, proof))) return false;
      await transaction.query(
        'update second_factors set recovery_codes = $2 where user_id is not distinct from $1',
        [userId, JSON.stringify(recoveryCodes)],
      );
      return true;
    });
  }

  async removeFactor(userId: string | null, proof: FactorProof | null): Promise<boolean> {
    return this.#change(async (transaction) => {
      await lockAccount(transaction, userId);
      if (proof !== null && !(await acceptProof(transaction, userId, proof))) return false;
      const removed = await transaction.query(
        'delete from second_factors where user_id is not distinct from $1 returning last_step',
        [userId],
      );
      return removed.length > 0;
    });
  }

  async #change(apply: (transaction: Queryable) => Promise<boolean>): Promise<boolean> {
    const changed = await change(this.#database, 'sessions', apply);
    this.#changes.look();
    return changed;
  }
}

/** Whether it is what the account, which is locked, asks for: nothing where it has no factor. It is used then. */
export async function acceptProof(
  db: Queryable,
  userId: string | null,
  proof: FactorProof | null,
): Promise<boolean> {
  const factor = await findFactor(db, userId);
  if (factor === null) return proof === null;
  const spent = proof && spend(factor, proof);
  if (spent === null) return false;
  await db.query(
    `update second_factors set last_step = $2, recovery_codes = $3
     where user_id is not distinct from $1`,
    [userId, spent.lastStep, JSON.stringify(spent.recoveryCodes)],
  );
  return true;
}

interface Row extends Omit<StoredFactor, 'recoveryCodes'> {
  /** JSON. */
  recoveryCodes: string;
}

export async function findFactor(db: Queryable, userId: string | null): Promise<StoredFactor | null> {
  const [row] = await db.query<Row>(
    `select secret, last_step as "lastStep", recovery_codes as "recoveryCodes"
     from second_factors where user_id is not distinct from $1`,
    [userId],
  );
  return row ? { ...row, recoveryCodes: JSON.parse(row.recoveryCodes) as string[] } : null;
}

async function endOtherSessions(db: Queryable, userId: string | null, kept: string): Promise<void> {
  if (userId === null) await db.query('delete from sessions where hash <> $1', [kept]);
  else await db.query('delete from user_sessions where user_id = $1 and hash <> $2', [userId, kept]);
}
