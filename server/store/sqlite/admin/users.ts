import type { ProjectRole } from '../../../../shared/accounts/role.ts';
import { maxSessions, type Session } from '../../admin/admin-store.ts';
import type { FactorProof } from '../../admin/factor-store.ts';
import type { AddedUser, PasswordLink, User } from '../../admin/user-store.ts';
import type { Connection } from '../connection.ts';
import { change } from '../projects/versions.ts';
import { acceptProof, findFactor } from './factors.ts';

/** The writing side of `UserStore`. */
export class UserWriter {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  addUser({ roles, ...user }: AddedUser, link: PasswordLink): boolean {
    const add = this.#db.prepare(
      `insert into users (id, name, link, link_expires_at, created_at)
       values (@id, @name, @hash, @expiresAt, @createdAt) on conflict (name) do nothing`,
    );
    return this.#change(() => {
      if (add.run({ ...user, ...link }).changes === 0) return false;
      this.#addRoles(user.id, roles);
      return true;
    });
  }

  setRoles(userId: string, roles: readonly ProjectRole[]): boolean {
    return this.#change(() => {
      if (this.#db.prepare('select 1 from users where id = ?').get(userId) === undefined) return false;
      this.#db.prepare('delete from roles where user_id = ?').run(userId);
      this.#addRoles(userId, roles);
      return true;
    });
  }

  removeUser(userId: string): boolean {
    return this.#change(() => this.#db.prepare('delete from users where id = ?').run(userId).changes > 0);
  }

  offerLink(userId: string, { hash, expiresAt }: PasswordLink): boolean {
    const offer = this.#db.prepare('update users set link = ?, link_expires_at = ? where id = ?');
    return this.#change(() => offer.run(hash, expiresAt, userId).changes > 0);
  }

  redeemLink(hash: string, password: string, session: Session): boolean {
    return this.#change(() => {
      const userId = findLink(this.#db, hash, session.createdAt);
      if (userId === null) return false;
      this.#setPassword(userId, password);
      this.#db.prepare('delete from user_sessions where user_id = ?').run(userId);
      if (findFactor(this.#db, userId) === null) addUserSession(this.#db, userId, session);
      return true;
    });
  }

  changePassword(userId: string, current: string, next: string, keptSession: string): boolean {
    return this.#change(() => {
      if (this.#readPassword(userId) !== current) return false;
      this.#setPassword(userId, next);
      this.#db.prepare('delete from user_sessions where user_id = ? and hash <> ?').run(userId, keptSession);
      return true;
    });
  }

  startSession(
    userId: string,
    session: Session,
    password: string,
    proof: FactorProof | null = null,
  ): boolean {
    return this.#change(() => {
      if (this.#readPassword(userId) !== password) return false;
      if (!acceptProof(this.#db, userId, proof)) return false;
      addUserSession(this.#db, userId, session);
      return true;
    });
  }

  endSessions(userId: string): void {
    const end = this.#db.prepare('delete from user_sessions where user_id = ?');
    this.#change(() => end.run(userId).changes > 0);
  }

  #readPassword(userId: string): string | null {
    const read = this.#db.prepare<[string], string | null>('select password from users where id = ?');
    return read.pluck().get(userId) ?? null;
  }

  #setPassword(userId: string, password: string): void {
    this.#db
      .prepare('update users set password = ?, link = null, link_expires_at = null where id = ?')
      .run(password, userId);
  }

  #addRoles(userId: string, roles: readonly ProjectRole[]): void {
    const add = this.#db.prepare<[{ userId: string } & ProjectRole]>(
      `insert into roles (user_id, project, role)
       select @userId, p.id, @role from (select 1) left join projects p on p.public_id = @projectId
       where @projectId is null or p.id is not null`,
    );
    for (const { projectId, role } of roles) add.run({ userId, projectId, role });
  }

  #change(apply: () => boolean): boolean {
    return change(this.#db, ['sessions'], apply);
  }
}

export function addUserSession(db: Connection, userId: string, { hash, createdAt, usedAt }: Session): void {
  db.prepare('insert into user_sessions (hash, user_id, created_at, used_at) values (?, ?, ?, ?)').run(
    hash,
    userId,
    createdAt,
    usedAt,
  );
  db.prepare(
    `delete from user_sessions where hash in (
       select hash from user_sessions where user_id = ?
       order by used_at desc, created_at desc limit -1 offset ${maxSessions})`,
  ).run(userId);
}

interface UserRow extends Omit<User, 'roles' | 'hasPassword' | 'hasSecondFactor' | 'hasSignOn'> {
  hasPassword: 0 | 1;
  hasSecondFactor: 0 | 1;
  hasSignOn: 0 | 1;
  /** JSON. */
  roles: string;
}

export class UserReader {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  listUsers(): User[] {
    return this.#db
      .prepare<[], UserRow>(
        `select id, name, created_at as createdAt, password is not null as hasPassword,
           link_expires_at as linkExpiresAt,
           exists (select 1 from second_factors f where f.user_id = u.id) as hasSecondFactor,
           exists (select 1 from sign_ons s where s.user_id = u.id) as hasSignOn, (
             select json_group_array(json_object('projectId', p.public_id, 'role', r.role) order by p.id)
             from roles r left join projects p on p.id = r.project where r.user_id = u.id) as roles
         from users u order by name`,
      )
      .all()
      .map(({ hasPassword, hasSecondFactor, hasSignOn, roles, ...user }) => ({
        ...user,
        roles: JSON.parse(roles) as ProjectRole[],
        hasPassword: hasPassword === 1,
        hasSecondFactor: hasSecondFactor === 1,
        hasSignOn: hasSignOn === 1,
      }));
  }

  findLink(hash: string, now: number): string | null {
    return findLink(this.#db, hash, now);
  }

  findPassword(name: string): { userId: string; password: string } | null {
    const find = this.#db.prepare<[string], { userId: string; password: string }>(
      'select id as userId, password from users where name = ? and password is not null',
    );
    return find.get(name) ?? null;
  }
}

export function findLink(db: Connection, hash: string, now: number): string | null {
  const find = db.prepare<[string, number], string>(
    'select id from users where link = ? and link_expires_at > ?',
  );
  return find.pluck().get(hash, now) ?? null;
}
