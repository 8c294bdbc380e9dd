import { type FactorProof, type StoredFactor, spend } from '../../admin/factor-store.ts';
import type { Connection } from '../connection.ts';
import { change } from '../projects/versions.ts';

/** Second factors: the writing side of `FactorStore`. */
export class FactorWriter {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  addFactor(userId: string | null, factor: StoredFactor, keptSession: string): boolean {
    const add = this.#db.prepare(
      `insert into second_factors (user_id, secret, last_step, recovery_codes)
       select @userId, @secret, @lastStep, @recoveryCodes
       where @userId is null or exists (select 1 from users where id = @userId)
       on conflict do nothing`,
    );
    return this.#change(() => {
      const row = { ...factor, userId, recoveryCodes: JSON.stringify(factor.recoveryCodes) };
      if (add.run(row).changes === 0) return false;
      this.#endOtherSessions(userId, keptSession);
      return true;
    });
  }

  spendProof(userId: string | null, proof: FactorProof): boolean {
    return this.#db.transaction(() => acceptProof(this.#db, userId, proof)).immediate();
  }

  replaceRecoveryCodes(userId: string | null, recoveryCodes: readonly string[], proof: FactorProof): boolean {
    return this.#change(() => {
      if (!acceptProof(this.#db, userId, proof)) return false;
      this.#db
        .prepare('update second_factors set recovery_codes = ? where user_id is ?')
        .run(JSON.stringify(recoveryCodes), userId);
      return true;
    });
  }

  removeFactor(userId: string | null, proof: FactorProof | null): boolean {
    const remove = this.#db.prepare('delete from second_factors where user_id is ?');
    return this.#change(() => {
      if (proof !== null && !acceptProof(this.#db, userId, proof)) return false;
      return remove.run(userId).changes > 0;
    });
  }

  #endOtherSessions(userId: string | null, kept: string): void {
    if (userId === null) this.#db.prepare('delete from sessions where hash <> ?').run(kept);
    else this.#db.prepare('delete from user_sessions where user_id = ? and hash <> ?').run(userId, kept);
  }

  #change(apply: () => boolean): boolean {
    return change(this.#db, ['sessions'], apply);
  }
}

export class FactorReader {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  findFactor(userId: string | null): StoredFactor | null {
    return findFactor(this.#db, userId);
  }
}

/** Whether it is what the account asks for, which is nothing where it has no factor. It is used then. */
export function acceptProof(db: Connection, userId: string | null, proof: FactorProof | null): boolean {
  const factor = findFactor(db, userId);
  if (factor === null) return proof === null;
  const spent = proof && spend(factor, proof);
  if (spent === null) return false;
  db.prepare('update second_factors set last_step = ?, recovery_codes = ? where user_id is ?').run(
    spent.lastStep,
    JSON.stringify(spent.recoveryCodes),
    userId,
  );
  return true;
}

interface Row extends Omit<StoredFactor, 'recoveryCodes'> {
  /** JSON. */
  recoveryCodes: string;
}

export function findFactor(db: Connection, userId: string | null): StoredFactor | null {
  const row = db
    .prepare<[string | null], Row>(
      `select secret, last_step as lastStep, recovery_codes as recoveryCodes
       from second_factors where user_id is ?`,
    )
    .get(userId);
  return row ? { ...row, recoveryCodes: JSON.parse(row.recoveryCodes) as string[] } : null;
}
