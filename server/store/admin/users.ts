import type { ProjectRole } from '../../../shared/accounts/role.ts';
import type { Sql } from '../../database/sql.ts';
import { change } from '../../database/versions.ts';
import {
  addSession,
  changePassword,
  endSessions,
  type FactorProof,
  findFactor,
  lockAccount,
  type Session,
  setPassword,
  startSession,
} from './factors.ts';

/** Somebody who signs in with a name of their own. */
export interface User {
  id: string;
  name: string;
  createdAt: string;
  roles: ProjectRole[];
  /** False: no link was used yet. */
  hasPassword: boolean;
  hasSecondFactor: boolean;
  /** Whether they have connected an account at a provider. */
  hasSignOn: boolean;
  /** Until when the link is good (milliseconds since 1970); null: there is no unused one. */
  linkExpiresAt: number | null;
}

/** A link that sets a user's password, once and until then. */
export interface PasswordLink {
  /** Lower-case hexadecimal SHA-256 of the token; the token itself is never stored. */
  hash: string;
  expiresAt: number;
}

export type AddedUser = Pick<User, 'id' | 'name' | 'createdAt' | 'roles'>;

export type UserStore = ReturnType<typeof users>;

/**
 * Users, their roles, and how they sign in. Every change notifies the listeners of sessions: once they have read users
 * and sessions again, a removed user is signed out and changed roles hold.
 */
export function users(sql: Sql) {
  const changeUsers = (apply: (sql: Sql) => Promise<boolean>) => change(sql, 'sessions', apply);
  const changeRows = (text: string, values: (string | number)[]) =>
    changeUsers(async (transaction) => (await transaction.query(text, values)).length > 0);
  return {
    listUsers: () => readUsers(sql),

    /** Roles in projects that are not there are left out. Answers false where the name is taken. */
    addUser({ id, name, createdAt, roles }: AddedUser, link: PasswordLink): Promise<boolean> {
      return changeUsers(async (transaction) => {
        const added = await transaction.query(
          `insert into users (id, name, link, link_expires_at, created_at) values ($1, $2, $3, $4, $5)
           on conflict (name) do nothing returning id`,
          [id, name, link.hash, link.expiresAt, createdAt],
        );
        if (added.length === 0) return false;
        await addRoles(transaction, id, roles);
        return true;
      });
    },

    /** These and no others. Answers false where there is no such user. */
    setRoles(userId: string, roles: readonly ProjectRole[]): Promise<boolean> {
      return changeUsers(async (transaction) => {
        if ((await lockAccount(transaction, userId)) === undefined) return false;
        await transaction.query('delete from roles where user_id = $1', [userId]);
        await addRoles(transaction, userId, roles);
        return true;
      });
    },

    /** With all sessions. Answers false where there is no such user. */
    removeUser: (userId: string): Promise<boolean> =>
      changeRows('delete from users where id = $1 returning id', [userId]),

    /** Makes this the user's only link. Answers false where there is no such user. */
    offerLink: (userId: string, { hash, expiresAt }: PasswordLink): Promise<boolean> =>
      changeRows('update users set link = $2, link_expires_at = $3 where id = $1 returning id', [
        userId,
        hash,
        expiresAt,
      ]),

    /** Whose it is; null: it was used, is too old, or there is none. */
    findLink: (hash: string, now: number): Promise<string | null> => findLink(sql, hash, now),

    /**
     * Sets the password by a link; all sessions of its user end and this one begins, unless it takes a second factor, too.
     * False: it was used or is too old.
     */
    redeemLink(hash: string, password: string, session: Session): Promise<boolean> {
      return changeUsers(async (transaction) => {
        const userId = await findLink(transaction, hash, session.createdAt);
        if (userId === null) return false;
        await setPassword(transaction, userId, password);
        await endSessions(transaction, userId);
        if ((await findFactor(transaction, userId)) === null) await addSession(transaction, userId, session);
        return true;
      });
    },

    /** What the password is checked by; null: there is no such user, or none was set. */
    async findPassword(name: string): Promise<{ userId: string; password: string } | null> {
      const [found] = await sql.query<{ userId: string; password: string }>(
        'select id as "userId", password from users where name = $1 and password is not null',
        [name],
      );
      return found ?? null;
    },

    /** See `changePassword`. */
    changePassword: (userId: string, current: string, next: string, keptSession: string): Promise<boolean> =>
      changePassword(sql, userId, { current, next, keptSession }),

    /** See `startSession`. */
    startSession: (
      userId: string,
      session: Session,
      password: string,
      proof: FactorProof | null = null,
    ): Promise<boolean> => startSession(sql, userId, { session, password, proof }),

    async endSessions(userId: string): Promise<void> {
      await changeUsers((transaction) => endSessions(transaction, userId));
    },
  };
}

/** Whose it is; null: it was used, is too old, or there is none. Changes of sessions come one after the other. */
export async function findLink(sql: Sql, hash: string, now: number): Promise<string | null> {
  const [found] = await sql.query<{ id: string }>(
    'select id from users where link = $1 and link_expires_at > $2',
    [hash, now],
  );
  return found?.id ?? null;
}

async function addRoles(sql: Sql, userId: string, roles: readonly ProjectRole[]): Promise<void> {
  for (const { projectId, role } of roles) {
    await sql.query(
      `insert into roles (user_id, project, role)
       select $1, p.id, $3 from (select 1 as one) one left join projects p on p.public_id = $2
       where cast($2 as text) is null or p.id is not null`,
      [userId, projectId, role],
    );
  }
}

/** By name. */
export async function readUsers(sql: Sql): Promise<User[]> {
  const rows = await sql.query<User & { roles: string }>(
    `select id, name, created_at as "createdAt", password is not null as "hasPassword",
       link_expires_at as "linkExpiresAt",
       exists (select 1 from second_factors f where f.user_id = u.id) as "hasSecondFactor",
       exists (select 1 from sign_ons s where s.user_id = u.id) as "hasSignOn", (
         select ${sql.dialect.jsonRows(`'projectId', p.public_id, 'role', r.role`, 'p.id nulls first')}
         from roles r left join projects p on p.id = r.project where r.user_id = u.id and (r.project is null or p.id is not null)) as roles
     from users u order by name`,
  );
  return rows.map((user) => ({
    ...user,
    roles: JSON.parse(user.roles) as ProjectRole[],
    hasPassword: Boolean(user.hasPassword),
    hasSecondFactor: Boolean(user.hasSecondFactor),
    hasSignOn: Boolean(user.hasSignOn),
  }));
}
