import {
  type AdminStore,
  type Link,
  maxSessions,
  type OwnedSession,
  type Session as SignedIn,
} from '../../admin/admin-store.ts';
import type { FactorProof } from '../../admin/factor-store.ts';
import type { Changes, Kind } from '../../changes.ts';
import type { Database } from '../database.ts';
import { noteRemoval } from '../directory/projects.ts';
import { change, raiseVersion } from '../directory/versions.ts';
import type { Queryable } from '../queryable.ts';
import { lockAccount } from './accounts.ts';
import { acceptProof, findFactor } from './factors.ts';

/** The administrator's, and those of users. */
const sessionTables = ['sessions', 'user_sessions'];

/** Password, sessions, links and uses of keys. */
export class Admin implements AdminStore {
  readonly #database: Database;
  readonly #changes: Changes;

  constructor(database: Database, changes: Changes) {
    this.#database = database;
    this.#changes = changes;
  }

  async readPassword(): Promise<string | null> {
    return readPassword(this.#database);
  }

  async offerSetup(tokenHash: string, expiresAt: number): Promise<void> {
    await this.#database.query('update administrator set setup = $1, setup_expires_at = $2', [
      tokenHash,
      expiresAt,
    ]);
  }

  async isSetupOpen(tokenHash: string, now: number): Promise<boolean> {
    return isSetupOpen(this.#database, tokenHash, now);
  }

  async redeemSetup(tokenHash: string, password: string, session: SignedIn): Promise<boolean> {
    return this.#change('directory', async (transaction) => {
      await lockAccount(transaction, null);
      if (!(await isSetupOpen(transaction, tokenHash, session.createdAt))) return false;
      await setPassword(transaction, password);
      await transaction.query('delete from sessions');
      if ((await findFactor(transaction, null)) === null) await addSession(transaction, session);
      await raiseVersion(transaction, 'sessions');
      return true;
    });
  }

  async resetPassword(password: string): Promise<void> {
    await this.#change('directory', async (transaction) => {
      await lockAccount(transaction, null);
      await setPassword(transaction, password);
      await transaction.query('delete from sessions');
      await raiseVersion(transaction, 'sessions');
      return true;
    });
  }

  async changePassword(current: string, next: string, keptSession: string): Promise<boolean> {
    return this.#change('sessions', async (transaction) => {
      if ((await lockAccount(transaction, null))?.password !== current) return false;
      await setPassword(transaction, next);
      await transaction.query('delete from sessions where hash <> $1', [keptSession]);
      return true;
    });
  }

  async startSession(
    session: SignedIn,
    password: string,
    proof: FactorProof | null = null,
  ): Promise<boolean> {
    return this.#change('sessions', async (transaction) => {
      if ((await lockAccount(transaction, null))?.password !== password) return false;
      if (!(await acceptProof(transaction, null, proof))) return false;
      await addSession(transaction, session);
      return true;
    });
  }

  async touchSession(hash: string, usedAt: number): Promise<void> {
    await this.#changeSessions(
      (table) => `update ${table} set used_at = $2 where hash = $1 and used_at < $2 returning hash`,
      [hash, usedAt],
    );
  }

  async listSessions(): Promise<OwnedSession[]> {
    return this.#database.query<OwnedSession>(
      `select hash, created_at as "createdAt", used_at as "usedAt", null as "userId" from sessions
       union all select hash, created_at, used_at, user_id from user_sessions`,
    );
  }

  onSessionChange(changed: () => void): () => void {
    return this.#changes.listen('sessions', changed);
  }

  async endSession(hash: string): Promise<void> {
    await this.#changeSessions((table) => `delete from ${table} where hash = $1 returning hash`, [hash]);
  }

  async endSessions(): Promise<void> {
    await this.#change('sessions', async (transaction) => {
      const ended = await transaction.query('delete from sessions returning hash');
      return ended.length > 0;
    });
  }

  async forgetSessions(before: number): Promise<void> {
    await this.#changeSessions((table) => `delete from ${table} where used_at < $1 returning hash`, [before]);
  }

  async addLink({ id, projectId, kind, token, createdAt }: Link): Promise<boolean> {
    return this.#change('directory', async (transaction, version) => {
      const added = await transaction.query(
        `insert into links (id, project, kind, token, created_at, changed)
         select $1, id, $3, $4, $5, $6 from projects where public_id = $2 returning id`,
        [id, projectId, kind, token, createdAt, version],
      );
      return added.length > 0;
    });
  }

  async removeLink(projectId: string, linkId: string): Promise<boolean> {
    return this.#change('directory', async (transaction, version) => {
      const removed = await transaction.query(
        `delete from links where id = $1
         and project = (select id from projects where public_id = $2) returning id`,
        [linkId, projectId],
      );
      if (removed.length === 0) return false;
      await noteRemoval(transaction, 'link', linkId, version);
      return true;
    });
  }

  /** Decides about nothing, so that nobody has to read the directory again. */
  async markKeys(uses: { keyId: string; day: string }[]): Promise<void> {
    await this.#database.query(
      `update keys set last_used_on = used.day
       from unnest($1::text[], $2::text[]) as used (id, day)
       where keys.id = used.id and coalesce(last_used_on, '') < used.day`,
      [uses.map(({ keyId }) => keyId), uses.map(({ day }) => day)],
    );
  }

  async keyUses(): Promise<Record<string, string>> {
    const rows = await this.#database.query<{ id: string; day: string }>(
      'select id, last_used_on as day from keys where last_used_on is not null',
    );
    return Object.fromEntries(rows.map(({ id, day }) => [id, day]));
  }

  async #changeSessions(statement: (table: string) => string, values: (string | number)[]): Promise<void> {
    await this.#change('sessions', async (transaction) => {
      let changed = 0;
      for (const table of sessionTables)
        changed += (await transaction.query(statement(table), values)).length;
      return changed > 0;
    });
  }

  async #change(
    kind: Kind,
    apply: (transaction: Queryable, version: number) => Promise<boolean>,
  ): Promise<boolean> {
    const changed = await change(this.#database, kind, apply);
    this.#changes.look();
    return changed;
  }
}

async function readPassword(db: Queryable): Promise<string | null> {
  const [row] = await db.query<{ password: string | null }>('select password from administrator');
  return row?.password ?? null;
}

async function isSetupOpen(db: Queryable, tokenHash: string, now: number): Promise<boolean> {
  const open = await db.query('select id from administrator where setup = $1 and setup_expires_at > $2', [
    tokenHash,
    now,
  ]);
  return open.length > 0;
}

async function setPassword(db: Queryable, password: string): Promise<void> {
  await db.query('update administrator set password = $1, setup = null, setup_expires_at = null', [password]);
}

async function addSession(db: Queryable, { hash, createdAt, usedAt }: SignedIn): Promise<void> {
  await db.query('insert into sessions (hash, created_at, used_at) values ($1, $2, $3)', [
    hash,
    createdAt,
    usedAt,
  ]);
  await db.query(
    `delete from sessions where hash in (
       select hash from sessions order by used_at desc, created_at desc offset $1)`,
    [maxSessions],
  );
}
