import { type Link, maxSessions, type OwnedSession, type Session } from '../../admin/admin-store.ts';
import type { FactorProof } from '../../admin/factor-store.ts';
import type { Connection } from '../connection.ts';
import { change } from '../projects/versions.ts';
import { acceptProof, findFactor } from './factors.ts';

/** The administrator's, and those of users. */
const sessionTables = ['sessions', 'user_sessions'];

/** Password, sessions, links and uses of keys: the writing side of `AdminStore`. */
export class AdminWriter {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  offerSetup(tokenHash: string, expiresAt: number): void {
    this.#db.prepare('update administrator set setup = ?, setup_expires_at = ?').run(tokenHash, expiresAt);
  }

  redeemSetup(tokenHash: string, password: string, session: Session): boolean {
    return change(this.#db, ['directory', 'sessions'], () => {
      if (!isSetupOpen(this.#db, tokenHash, session.createdAt)) return false;
      this.#setPassword(password);
      this.#db.prepare('delete from sessions').run();
      if (findFactor(this.#db, null) === null) this.#addSession(session);
      return true;
    });
  }

  resetPassword(password: string): void {
    change(this.#db, ['directory', 'sessions'], () => {
      this.#setPassword(password);
      this.#db.prepare('delete from sessions').run();
      return true;
    });
  }

  changePassword(current: string, next: string, keptSession: string): boolean {
    return change(this.#db, ['sessions'], () => {
      if (readPassword(this.#db) !== current) return false;
      this.#setPassword(next);
      this.#db.prepare('delete from sessions where hash <> ?').run(keptSession);
      return true;
    });
  }

  startSession(session: Session, password: string, proof: FactorProof | null = null): boolean {
    return change(this.#db, ['sessions'], () => {
      if (readPassword(this.#db) !== password) return false;
      if (!acceptProof(this.#db, null, proof)) return false;
      this.#addSession(session);
      return true;
    });
  }

  touchSession(hash: string, usedAt: number): void {
    this.#changeSessions((table) =>
      this.#db
        .prepare(`update ${table} set used_at = ? where hash = ? and used_at < ?`)
        .run(usedAt, hash, usedAt),
    );
  }

  endSession(hash: string): void {
    this.#changeSessions((table) => this.#db.prepare(`delete from ${table} where hash = ?`).run(hash));
  }

  endSessions(): void {
    change(this.#db, ['sessions'], () => this.#db.prepare('delete from sessions').run().changes > 0);
  }

  forgetSessions(before: number): void {
    this.#changeSessions((table) => this.#db.prepare(`delete from ${table} where used_at < ?`).run(before));
  }

  addLink(link: Link): boolean {
    const add = this.#db.prepare(
      `insert into links (id, project, kind, token, created_at)
       select @id, id, @kind, @token, @createdAt from projects where public_id = @projectId`,
    );
    return change(this.#db, ['directory'], () => add.run(link).changes > 0);
  }

  removeLink(projectId: string, linkId: string): boolean {
    const remove = this.#db.prepare(
      'delete from links where id = ? and project = (select id from projects where public_id = ?)',
    );
    return change(this.#db, ['directory'], () => remove.run(linkId, projectId).changes > 0);
  }

  /** Decides about nothing, so that nobody has to read the directory again. */
  markKeys(uses: { keyId: string; day: string }[]): void {
    const mark = this.#db.prepare(
      "update keys set last_used_on = ? where id = ? and coalesce(last_used_on, '') < ?",
    );
    this.#db
      .transaction(() => {
        for (const { keyId, day } of uses) mark.run(day, keyId, day);
      })
      .immediate();
  }

  #changeSessions(apply: (table: string) => { changes: number }): void {
    change(
      this.#db,
      ['sessions'],
      () => sessionTables.filter((table) => apply(table).changes > 0).length > 0,
    );
  }

  #setPassword(password: string): void {
    this.#db
      .prepare('update administrator set password = ?, setup = null, setup_expires_at = null')
      .run(password);
  }

  #addSession({ hash, createdAt, usedAt }: Session): void {
    this.#db
      .prepare('insert into sessions (hash, created_at, used_at) values (?, ?, ?)')
      .run(hash, createdAt, usedAt);
    this.#db
      .prepare(
        `delete from sessions where hash in (
           select hash from sessions order by used_at desc, created_at desc limit -1 offset ${maxSessions})`,
      )
      .run();
  }
}

export class AdminReader {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  readPassword(): string | null {
    return readPassword(this.#db);
  }

  isSetupOpen(tokenHash: string, now: number): boolean {
    return isSetupOpen(this.#db, tokenHash, now);
  }

  listSessions(): OwnedSession[] {
    return this.#db
      .prepare<[], OwnedSession>(
        `select hash, created_at as createdAt, used_at as usedAt, null as userId from sessions
         union all select hash, created_at, used_at, user_id from user_sessions`,
      )
      .all();
  }

  keyUses(): Record<string, string> {
    const rows = this.#db
      .prepare<[], { id: string; day: string }>(
        'select id, last_used_on as day from keys where last_used_on is not null',
      )
      .all();
    return Object.fromEntries(rows.map(({ id, day }) => [id, day]));
  }
}

function readPassword(db: Connection): string | null {
  return (
    db.prepare<[], { password: string | null }>('select password from administrator').get()?.password ?? null
  );
}

function isSetupOpen(db: Connection, tokenHash: string, now: number): boolean {
  const open = db.prepare('select 1 from administrator where setup = ? and setup_expires_at > ?');
  return open.get(tokenHash, now) !== undefined;
}
