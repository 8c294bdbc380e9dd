import type { Session } from '../../admin/admin-store.ts';
import type { ConnectOutcome, SignOn } from '../../admin/sign-on-store.ts';
import type { Connection } from '../connection.ts';
import { change } from '../projects/versions.ts';
import { addUserSession, findLink } from './users.ts';

/** Accounts at providers: the writing side of `SignOnStore`. */
export class SignOnWriter {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  connectSignOn(userId: string, signOn: SignOn): Exclude<ConnectOutcome, 'closed'> {
    const isDone = change(this.#db, ['sessions'], () => this.#connect(userId, signOn));
    return isDone ? 'connected' : 'taken';
  }

  redeemLinkBySignOn(linkHash: string, signOn: SignOn, session: Session): ConnectOutcome {
    let outcome: ConnectOutcome = 'closed';
    change(this.#db, ['sessions'], () => {
      const userId = findLink(this.#db, linkHash, session.createdAt);
      if (userId === null) return false;
      outcome = this.#connect(userId, signOn) ? 'connected' : 'taken';
      if (outcome === 'taken') return false;
      this.#db
        .prepare('update users set password = null, link = null, link_expires_at = null where id = ?')
        .run(userId);
      this.#db.prepare('delete from user_sessions where user_id = ?').run(userId);
      addUserSession(this.#db, userId, session);
      return true;
    });
    return outcome;
  }

  disconnectSignOn(userId: string, issuer: string): boolean {
    const disconnect = this.#db.prepare('delete from sign_ons where user_id = ? and issuer = ?');
    return change(this.#db, ['sessions'], () => disconnect.run(userId, issuer).changes > 0);
  }

  startSessionBySignOn(signOn: SignOn, session: Session): boolean {
    return change(this.#db, ['sessions'], () => {
      const userId = this.#owner(signOn);
      if (userId === undefined) return false;
      addUserSession(this.#db, userId, session);
      return true;
    });
  }

  #connect(userId: string, { issuer, subject }: SignOn): boolean {
    const owner = this.#owner({ issuer, subject });
    if (owner !== undefined && owner !== userId) return false;
    this.#db.prepare('delete from sign_ons where user_id = ? and issuer = ?').run(userId, issuer);
    this.#db
      .prepare('insert into sign_ons (issuer, subject, user_id) select ?, ?, id from users where id = ?')
      .run(issuer, subject, userId);
    return true;
  }

  #owner({ issuer, subject }: SignOn): string | undefined {
    return this.#db
      .prepare<[string, string], string>('select user_id from sign_ons where issuer = ? and subject = ?')
      .pluck()
      .get(issuer, subject);
  }
}

export class SignOnReader {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  hasSignOn(userId: string, issuer: string): boolean {
    const find = this.#db.prepare('select 1 from sign_ons where user_id = ? and issuer = ?');
    return find.get(userId, issuer) !== undefined;
  }
}
