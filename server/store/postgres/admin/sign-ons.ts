import type { Session } from '../../admin/admin-store.ts';
import type { ConnectOutcome, SignOn, SignOnStore } from '../../admin/sign-on-store.ts';
import type { Changes } from '../../changes.ts';
import type { Database } from '../database.ts';
import { change } from '../directory/versions.ts';
import type { Queryable } from '../queryable.ts';
import { addUserSession } from './users.ts';

/** Accounts at providers that users sign in by. */
export class SignOns implements SignOnStore {
  readonly #database: Database;
  readonly #changes: Changes;

  constructor(database: Database, changes: Changes) {
    this.#database = database;
    this.#changes = changes;
  }

  async hasSignOn(userId: string, issuer: string): Promise<boolean> {
    const found = await this.#database.query(
      'select user_id from sign_ons where user_id = $1 and issuer = $2',
      [userId, issuer],
    );
    return found.length > 0;
  }

  async connectSignOn(userId: string, signOn: SignOn): Promise<Exclude<ConnectOutcome, 'closed'>> {
    const isDone = await this.#change((transaction) => connect(transaction, userId, signOn));
    return isDone ? 'connected' : 'taken';
  }

  async redeemLinkBySignOn(linkHash: string, signOn: SignOn, session: Session): Promise<ConnectOutcome> {
    let outcome: ConnectOutcome = 'closed';
    await this.#change(async (transaction) => {
      const [user] = await transaction.query<{ id: string }>(
        'select id from users where link = $1 and link_expires_at > $2 for update',
        [linkHash, session.createdAt],
      );
      outcome = 'closed';
      if (!user) return false;
      outcome = (await connect(transaction, user.id, signOn)) ? 'connected' : 'taken';
      if (outcome === 'taken') return false;
      await transaction.query(
        'update users set password = null, link = null, link_expires_at = null where id = $1',
        [user.id],
      );
      await transaction.query('delete from user_sessions where user_id = $1', [user.id]);
      await addUserSession(transaction, user.id, session);
      return true;
    });
    return outcome;
  }

  async disconnectSignOn(userId: string, issuer: string): Promise<boolean> {
    return this.#change(async (transaction) => {
      const removed = await transaction.query(
        'delete from sign_ons where user_id = $1 and issuer = $2 returning user_id',
        [userId, issuer],
      );
      return removed.length > 0;
    });
  }

  async startSessionBySignOn(signOn: SignOn, session: Session): Promise<boolean> {
    return this.#change(async (transaction) => {
      const owner = await findOwner(transaction, signOn);
      if (owner === undefined) return false;
      await addUserSession(transaction, owner, session);
      return true;
    });
  }

  async #change(apply: (transaction: Queryable) => Promise<boolean>): Promise<boolean> {
    const changed = await change(this.#database, 'sessions', apply);
    this.#changes.look();
    return changed;
  }
}

async function findOwner(db: Queryable, { issuer, subject }: SignOn): Promise<string | undefined> {
  const [row] = await db.query<{ userId: string }>(
    'select user_id as "userId" from sign_ons where issuer = $1 and subject = $2',
    [issuer, subject],
  );
  return row?.userId;
}

/** Changes of sessions come one after the other, so that nobody connects the same account meanwhile. */
async function connect(db: Queryable, userId: string, signOn: SignOn): Promise<boolean> {
  const owner = await findOwner(db, signOn);
  if (owner !== undefined && owner !== userId) return false;
  await db.query('delete from sign_ons where user_id = $1 and issuer = $2', [userId, signOn.issuer]);
  await db.query(
    'insert into sign_ons (issuer, subject, user_id) select $1, $2, id from users where id = $3',
    [signOn.issuer, signOn.subject, userId],
  );
  return true;
}
