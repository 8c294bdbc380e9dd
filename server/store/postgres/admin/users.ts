import type { ProjectRole } from '../../../../shared/accounts/role.ts';
import { maxSessions, type Session } from '../../admin/admin-store.ts';
import type { FactorProof } from '../../admin/factor-store.ts';
import type { AddedUser, PasswordLink, User, UserStore } from '../../admin/user-store.ts';
import type { Changes } from '../../changes.ts';
import type { Database } from '../database.ts';
import { change } from '../directory/versions.ts';
import type { Queryable } from '../queryable.ts';
import { lockAccount } from './accounts.ts';
import { acceptProof, findFactor } from './factors.ts';

/** Users, what they may do, and how they sign in. */
export class Users implements UserStore {
  readonly #database: Database;
  readonly #changes: Changes;

  constructor(database: Database, changes: Changes) {
    this.#database = database;
    this.#changes = changes;
  }

  async listUsers(): Promise<User[]> {
    return this.#database.query<User>(
      `select id, name, created_at as "createdAt", password is not null as "hasPassword",
         link_expires_at as "linkExpiresAt",
         exists (select 1 from second_factors f where f.user_id = u.id) as "hasSecondFactor",
         exists (select 1 from sign_ons s where s.user_id = u.id) as "hasSignOn", coalesce((
           select json_agg(json_build_object('projectId', p.public_id, 'role', r.role) order by p.id nulls first)
           from roles r left join projects p on p.id = r.project where r.user_id = u.id), '[]') as roles
       from users u order by name`,
    );
  }

  async addUser({ id, name, createdAt, roles }: AddedUser, link: PasswordLink): Promise<boolean> {
    return this.#change(async (transaction) => {
      const added = await transaction.query(
        `insert into users (id, name, link, link_expires_at, created_at) values ($1, $2, $3, $4, $5)
         on conflict (name) do nothing returning id`,
        [id, name, link.hash, link.expiresAt, createdAt],
      );
      if (added.length === 0) return false;
      await addRoles(transaction, id, roles);
      return true;
    });
  }

  async setRoles(userId: string, roles: readonly ProjectRole[]): Promise<boolean> {
    return this.#change(async (transaction) => {
      if ((await lockAccount(transaction, userId)) === undefined) return false;
      await transaction.query('delete from roles where user_id = $1', [userId]);
      await addRoles(transaction, userId, roles);
      return true;
    });
  }

  async removeUser(userId: string): Promise<boolean> {
    return this.#changeRows('delete from users where id = $1 returning id', [userId]);
  }

  async offerLink(userId: string, { hash, expiresAt }: PasswordLink): Promise<boolean> {
    return this.#changeRows('update users set link = $2, link_expires_at = $3 where id = $1 returning id', [
      userId,
      hash,
      expiresAt,
    ]);
  }

  async findLink(hash: string, now: number): Promise<string | null> {
    const [found] = await this.#database.query<{ id: string }>(
      'select id from users where link = $1 and link_expires_at > $2',
      [hash, now],
    );
    return found?.id ?? null;
  }

  async redeemLink(hash: string, password: string, session: Session): Promise<boolean> {
    return this.#change(async (transaction) => {
      const [user] = await transaction.query<{ id: string }>(
        `update users set password = $3, link = null, link_expires_at = null
         where link = $1 and link_expires_at > $2 returning id`,
        [hash, session.createdAt, password],
      );
      if (!user) return false;
      await transaction.query('delete from user_sessions where user_id = $1', [user.id]);
      if ((await findFactor(transaction, user.id)) === null)
        await addUserSession(transaction, user.id, session);
      return true;
    });
  }

  async findPassword(name: string): Promise<{ userId: string; password: string } | null> {
    const [found] = await this.#database.query<{ userId: string; password: string }>(
      'select id as "userId", password from users where name = $1 and password is not null',
      [name],
    );
    return found ?? null;
  }

  async changePassword(userId: string, current: string, next: string, keptSession: string): Promise<boolean> {
    return this.#change(async (transaction) => {
      if ((await lockAccount(transaction, userId))?.password !== current) return false;
      await transaction.query(
        'update users set password = $2, link = null, link_expires_at = null where id = $1',
        [userId, next],
      );
      await transaction.query('delete from user_sessions where user_id = $1 and hash <> $2', [
        userId,
        keptSession,
      ]);
      return true;
    });
  }

  async startSession(
    userId: string,
    session: Session,
    password: string,
    proof: FactorProof | null = null,
  ): Promise<boolean> {
    return this.#change(async (transaction) => {
      if ((await lockAccount(transaction, userId))?.password !== password) return false;
      if (!(await acceptProof(transaction, userId, proof))) return false;
      await addUserSession(transaction, userId, session);
      return true;
    });
  }

  async endSessions(userId: string): Promise<void> {
    await this.#changeRows('delete from user_sessions where user_id = $1 returning hash', [userId]);
  }

  #changeRows(statement: string, values: (string | number)[]): Promise<boolean> {
    return this.#change(async (transaction) => (await transaction.query(statement, values)).length > 0);
  }

  async #change(apply: (transaction: Queryable) => Promise<boolean>): Promise<boolean> {
    const changed = await change(this.#database, 'sessions', apply);
    this.#changes.look();
    return changed;
  }
}

async function addRoles(db: Queryable, userId: string, roles: readonly ProjectRole[]): Promise<void> {
  await db.query(
    `insert into roles (user_id, project, role)
     select $1, p.id, given.role from unnest($2::text[], $3::text[]) as given (project_id, role)
     left join projects p on p.public_id = given.project_id
     where given.project_id is null or p.id is not null`,
    [userId, roles.map(({ projectId }) => projectId), roles.map(({ role }) => role)],
  );
}

export async function addUserSession(
  db: Queryable,
  userId: string,
  { hash, createdAt, usedAt }: Session,
): Promise<void> {
  await db.query('insert into user_sessions (hash, user_id, created_at, used_at) values ($1, $2, $3, $4)', [
    hash,
    userId,
    createdAt,
    usedAt,
  ]);
  await db.query(
    `delete from user_sessions where hash in (
       select hash from user_sessions where user_id = $1
       order by used_at desc, created_at desc offset $2)`,
    [userId, maxSessions],
  );
}
