import { has, type Sql } from '../../database/sql.ts';
import { change, raiseVersion } from '../../database/versions.ts';
import {
  type Account,
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
import { readUsers, type User } from './users.ts';

/** A session, and whose it is. */
export interface OwnedSession extends Session {
  /** Null: the administrator's. */
  userId: string | null;
}

export interface AdminStore extends ReturnType<typeof admin> {
  /** As `onDirectoryChange`: after a session began, was used or ended, and after a user was changed. */
  onSessionChange(changed: () => void): () => void;
}

interface SignedInRows {
  sessions: OwnedSession[];
  users: User[];
  /** Tables of a damaged database that have lost rows of these. */
  incomplete: readonly string[];
}

/** The administrator's, and those of users. */
export const sessionTables = ['sessions', 'user_sessions'];
export const userTables = ['users', 'roles', 'second_factors', 'sign_ons', 'projects'];
const signedInTables = [...sessionTables, ...userTables];

/**
 * What the dashboard needs: password, sessions, links and uses of keys. Passwords come here hashed, as a text that says how
 * (`$scrypt$…`).
 */
export function admin(sql: Sql) {
  const changeSessions = (apply: (sql: Sql) => Promise<boolean>) => change(sql, 'sessions', apply);
  const changeAllSessions = (statement: (table: string) => string, values: (string | number)[]) =>
    changeSessions(async (transaction) => {
      let changed = 0;
      for (const table of sessionTables)
        changed += (await transaction.query(statement(table), values)).length;
      return changed > 0;
    });
  /** The administrator's password, and with it the one-time link and all their sessions. */
  const replacePassword = async (transaction: Sql, password: string) => {
    await setPassword(transaction, null, password);
    await endSessions(transaction, null);
    await raiseVersion(transaction, 'sessions');
  };
  return {
    /** Null: no password was set yet. */
    async readPassword(): Promise<string | null> {
      const [row] = await sql.query<Account>('select password from administrator');
      return row?.password ?? null;
    },

    /** Makes the token of this hash the only one that sets a password, once and until then (milliseconds since 1970). */
    async offerSetup(tokenHash: string, expiresAt: number): Promise<void> {
      await sql.query('update administrator set setup = $1, setup_expires_at = $2', [tokenHash, expiresAt]);
    },

    isSetupOpen: (tokenHash: string, now: number): Promise<boolean> => isSetupOpen(sql, tokenHash, now),

    /**
     * Sets the administrator's password by such a token; all of their sessions end and this one begins, unless it takes a
     * second factor, too. False: it was used or is too old.
     */
    redeemSetup(tokenHash: string, password: string, session: Session): Promise<boolean> {
      return change(sql, 'directory', async (transaction) => {
        await lockAccount(transaction, null);
        if (!(await isSetupOpen(transaction, tokenHash, session.createdAt))) return false;
        await replacePassword(transaction, password);
        if ((await findFactor(transaction, null)) === null) await addSession(transaction, null, session);
        return true;
      });
    },

    /** Sets the password, also where there is one; the one-time link and all sessions of the administrator end. */
    async resetPassword(password: string): Promise<void> {
      await change(sql, 'directory', async (transaction) => {
        await lockAccount(transaction, null);
        await replacePassword(transaction, password);
        return true;
      });
    },

    /** See `changePassword`. */
    changePassword: (current: string, next: string, keptSession: string): Promise<boolean> =>
      changePassword(sql, null, { current, next, keptSession }),

    /** See `startSession`. @param proof left out: there is no second factor */
    startSession: (session: Session, password: string, proof: FactorProof | null = null): Promise<boolean> =>
      startSession(sql, null, { session, password, proof }),

    async touchSession(hash: string, usedAt: number): Promise<void> {
      await changeAllSessions(
        (table) => `update ${table} set used_at = $2 where hash = $1 and used_at < $2 returning hash`,
        [hash, usedAt],
      );
    },

    /** All sessions and users. */
    readSignedIn: (): Promise<SignedInRows> =>
      sql.salvage(signedInTables, async (read, incomplete) => ({
        sessions: await read.query<OwnedSession>(
          `select hash, created_at as "createdAt", used_at as "usedAt", null as "userId" from sessions
           union all select hash, created_at, used_at, user_id from user_sessions`,
        ),
        users: await readUsers(read),
        incomplete,
      })),

    async endSession(hash: string): Promise<void> {
      await changeAllSessions((table) => `delete from ${table} where hash = $1 returning hash`, [hash]);
    },

    /** Of the administrator. */
    async endSessions(): Promise<void> {
      await changeSessions((transaction) => endSessions(transaction, null));
    },

    /** Forgets those without a use since that moment. */
    async forgetSessions(before: number): Promise<void> {
      await changeAllSessions((table) => `delete from ${table} where used_at < $1 returning hash`, [before]);
    },

    /**
     * Notes on which day (`YYYY-MM-DD`) keys were used, unless a later one is known. Decides about nothing, so that nobody has
     * to read the directory again.
     */
    async markKeys(uses: { keyId: string; day: string }[]): Promise<void> {
      await sql.transaction(async (transaction) => {
        // In one order, so that two nodes never wait for each other.
        for (const { keyId, day } of uses.toSorted((a, b) => (a.keyId < b.keyId ? -1 : 1))) {
          await transaction.query(
            `update keys set last_used_on = $2 where id = $1 and coalesce(last_used_on, '') < $2`,
            [keyId, day],
          );
        }
      });
    },

    /** Day of the last use by the id of the key; unused ones are not in it. */
    async keyUses(): Promise<Record<string, string>> {
      const rows = await sql.query<{ id: string; day: string }>(
        'select id, last_used_on as day from keys where last_used_on is not null',
      );
      return Object.fromEntries(rows.map(({ id, day }) => [id, day]));
    },
  };
}

async function isSetupOpen(sql: Sql, tokenHash: string, now: number): Promise<boolean> {
  return has(sql, 'select id from administrator where setup = $1 and setup_expires_at > $2', [
    tokenHash,
    now,
  ]);
}
