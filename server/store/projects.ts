import type { ActorKind } from '../../shared/accounts/audit-actions.ts';
import type { KeyScope } from '../../shared/accounts/key-scope.ts';
import type { ProjectSettings } from '../../shared/project/project.ts';
import type { SecretName } from '../../shared/secrets.ts';
import { has, type Sql } from '../database/sql.ts';
import { change, readVersions } from '../database/versions.ts';
import type { Actor } from './admin/audit.ts';
import { withHost, withSeenHosts } from './seen-hosts.ts';

export interface Project {
  /** Public: part of the script tag of the site. */
  id: string;
  settings: ProjectSettings;
  createdAt: string;
}

export interface ListedProject extends Project {
  /** Which of its secrets are set. */
  secrets: SecretName[];
}

/** Encrypted before the store gets them; null removes one. */
export type EncryptedSecrets = Partial<Record<SecretName, Uint8Array | null>>;

export interface Key {
  id: string;
  name: string;
  scope: KeyScope;
  /** The one project it is good for; null: all of this installation. */
  projectId: string | null;
  createdAt: string;
  /** RFC 3339 in UTC; null: it has no end. */
  expiresAt: string | null;
  /** Addresses and ranges that it may be used from; none: anywhere. */
  networks: string[];
  /** Who made it; null: that was not recorded. */
  maker: Actor | null;
}

export interface StoredKey extends Key {
  /** Lower-case hexadecimal SHA-256 of the whole key; the key itself is never stored. */
  hash: string;
}

/** A public address of what is counted for a project. */
export interface Link {
  id: string;
  projectId: string;
  kind: 'page' | 'badge';
  /** Stored as it is: the dashboard shows the address again, and it gives access only to data in the same database. */
  token: string;
  createdAt: string;
}

/** The data that decides about a request; small enough to be kept in memory. */
export interface Directory {
  version: number;
  projects: ListedProject[];
  keys: StoredKey[];
  links: Link[];
  /** Whether the dashboard's password has been set. */
  hasPassword: boolean;
  /** Tables of a damaged database that have lost rows of these. */
  incomplete: ReadonlySet<string>;
}

export interface ProjectStore extends Omit<ReturnType<typeof projects>, 'readDirectory'> {
  /** What was there when it was asked for, or later. */
  directory(): Promise<Directory>;
  /**
   * Calls back after changes of the directory: at once after those that were made here, within a second after those of
   * other processes, and perhaps once for several. Returns a function that ends it.
   */
  onDirectoryChange(changed: () => void): () => void;
}

/** Deletes a project from a part of the store, by its number. */
export type ForgetProject = (sql: Sql, project: number) => Promise<void>;

const directoryTables = ['versions', 'projects', 'secrets', 'keys', 'links', 'removals', 'administrator'];

/** Of removals that are kept; who has not looked for longer reads everything. */
const keptVersions = 10_000;

/**
 * Projects, their keys and secrets, and other data that decides about a request.
 *
 * @param forget of what does not go with the project's row by itself
 */
export function projects(sql: Sql, forget: readonly ForgetProject[]) {
  const changeDirectory = (apply: (sql: Sql, version: number) => Promise<boolean>) =>
    change(sql, 'directory', apply);
  return {
    /** What changed in the directory since that version. */
    readDirectory: (since: number): Promise<DirectoryChanges> =>
      sql.salvage(directoryTables, async (read, incomplete) => ({
        ...(await read.snapshot((snapshot) => readChanges(snapshot, since))),
        incomplete,
      })),

    /** Of the directory as it is now; every change raises it. */
    directoryVersion: async (): Promise<number> => (await readVersions(sql)).directory,

    /** Adds the project together with its first keys. */
    async addProject(project: Project, keys: StoredKey[]): Promise<void> {
      await changeDirectory(async (transaction, version) => {
        await insertProject(transaction, project, keys, version);
        return true;
      });
    },

    /** The same where there is no project yet; answers false where there is one. */
    addFirstProject(project: Project, keys: StoredKey[]): Promise<boolean> {
      return changeDirectory(async (transaction, version) => {
        if ((await transaction.query('select id from projects limit 1')).length > 0) return false;
        await insertProject(transaction, project, keys, version);
        return true;
      });
    },

    /** Secrets that are not given stay, and so do the hosts that were noted. Answers false where there is no such project. */
    setProject(
      projectId: string,
      settings: ProjectSettings,
      secrets: EncryptedSecrets = {},
    ): Promise<boolean> {
      return changeDirectory(async (transaction, version) => {
        const project = await findProject(transaction, projectId);
        if (!project) return false;
        await storeSettings(transaction, project.id, withSeenHosts(settings, project.settings), version);
        for (const [name, sealed] of Object.entries(secrets))
          await setSecret(transaction, project.id, name, sealed);
        return true;
      });
    },

    /**
     * Notes that pages on this host were counted, as far as `withHost` has it. Answers false where it was noted already, or
     * there is no such project. A change of settings at the same time keeps it.
     */
    noteHost(projectId: string, host: string): Promise<boolean> {
      return changeDirectory(async (transaction, version) => {
        const project = await findProject(transaction, projectId);
        const settings = project && withHost(project.settings, host);
        if (!settings) return false;
        await storeSettings(transaction, project.id, settings, version);
        return true;
      });
    },

    async readSecrets(projectId: string): Promise<Partial<Record<SecretName, Uint8Array>>> {
      const rows = await sql.query<{ name: SecretName; sealed: Uint8Array }>(
        'select s.name, s.sealed from secrets s join projects p on p.id = s.project where p.public_id = $1',
        [projectId],
      );
      return Object.fromEntries(rows.map(({ name, sealed }) => [name, sealed]));
    },

    /** Removes the project with its keys, counts, secrets and jobs. Answers false where there is no such project. */
    removeProject(projectId: string): Promise<boolean> {
      return changeDirectory(async (transaction, version) => {
        // Not locked yet, as what holds the parts of it does so first. No one else removes it meanwhile.
        const [project] = await transaction.query<{ id: number }>(
          'select id from projects where public_id = $1',
          [projectId],
        );
        if (!project) return false;
        for (const part of forget) await part(transaction, project.id);
        await transaction.query('delete from projects where id = $1', [project.id]);
        await noteRemoval(transaction, 'project', projectId, version);
        return true;
      });
    },

    /** Answers false, and adds nothing, where the key that makes it is revoked. */
    addKey(key: StoredKey): Promise<boolean> {
      return changeDirectory(async (transaction, version) => {
        const { maker } = key;
        if (maker?.kind === 'key') {
          const found = await transaction.query('select id from keys where id = $1', [maker.id]);
          if (found.length === 0) return false;
        }
        await insertKey(transaction, key, version);
        return true;
      });
    },

    /** With it end the keys that it made, and those that these made. Answers false where there is no such key. */
    revokeKey(keyId: string): Promise<boolean> {
      return changeDirectory(async (transaction, version) => {
        const revoked = await transaction.query<{ id: string }>(
          `with recursive ending (id) as (
             select id from keys where id = $1
             union select k.id from keys k join ending e on k.maker_id = e.id where k.maker_kind = 'key')
           delete from keys where id in (select id from ending) returning id`,
          [keyId],
        );
        for (const { id } of revoked) await noteRemoval(transaction, 'key', id, version);
        return revoked.length > 0;
      });
    },

    /** Answers false where there is no such project. */
    addLink({ id, projectId, kind, token, createdAt }: Link): Promise<boolean> {
      return changeDirectory(async (transaction, version) => {
        return has(
          transaction,
          `insert into links (id, project, kind, token, created_at, changed)
           select $1, id, $3, $4, $5, $6 from projects where public_id = $2 returning id`,
          [id, projectId, kind, token, createdAt, version],
        );
      });
    },

    /** Answers false where the project has no such link. */
    removeLink(projectId: string, linkId: string): Promise<boolean> {
      return changeDirectory(async (transaction, version) => {
        const removed = await transaction.query(
          `delete from links where id = $1
           and project = (select id from projects where public_id = $2) returning id`,
          [linkId, projectId],
        );
        if (removed.length === 0) return false;
        await noteRemoval(transaction, 'link', linkId, version);
        return true;
      });
    },
  };
}

interface ProjectRow extends Omit<ListedProject, 'settings' | 'secrets'> {
  order: number;
  /** JSON. */
  settings: string;
  /** JSON list. */
  secrets: string;
}

interface KeyRow extends Omit<StoredKey, 'networks' | 'maker'> {
  /** JSON list. */
  networks: string;
  makerKind: ActorKind | null;
  makerId: string | null;
  makerName: string | null;
}

/** Rows as they are stored: the reader checks settings, so that the threads of the store do without zod. */
export interface DirectoryChanges {
  version: number;
  /** What is in memory is left out; otherwise these are all. */
  isPart: boolean;
  projects: ProjectRow[];
  keys: KeyRow[];
  links: Link[];
  removals: { what: 'project' | 'key' | 'link'; id: string }[];
  hasPassword: boolean;
  incomplete: readonly string[];
}

async function readChanges(sql: Sql, last: number): Promise<Omit<DirectoryChanges, 'incomplete'>> {
  const { directory: version } = await readVersions(sql);
  const isPart = last >= 0 && version - last < keptVersions;
  const since = isPart ? last : -1;
  const projects = await sql.query<ProjectRow>(
    `select p.id as "order", p.public_id as id, cast(p.settings as text) as settings, p.created_at as "createdAt", (
       select ${sql.dialect.jsonRows(`'name', s.name`, 's.name')} from secrets s where s.project = p.id) as secrets
     from projects p where p.changed > $1`,
    [since],
  );
  const keys = await sql.query<KeyRow>(
    `select k.id, k.hash, k.name, k.scope, p.public_id as "projectId", k.created_at as "createdAt",
       k.expires_at as "expiresAt", k.networks, k.maker_kind as "makerKind", k.maker_id as "makerId",
       k.maker_name as "makerName"
     from keys k left join projects p on p.id = k.project
     where k.changed > $1 and (k.project is null or p.id is not null)`,
    [since],
  );
  const links = await sql.query<Link>(
    `select l.id, p.public_id as "projectId", l.kind, l.token, l.created_at as "createdAt"
     from links l join projects p on p.id = l.project where l.changed > $1`,
    [since],
  );
  const removals = await sql.query<DirectoryChanges['removals'][number]>(
    'select what, id from removals where version > $1 order by version',
    [since],
  );
  const administrators = await sql.query('select id from administrator where password is not null');
  return { version, isPart, projects, keys, links, removals, hasPassword: administrators.length > 0 };
}

/** Its number, while nobody else changes what a project has at most so many of; undefined: it is gone. */
export async function lockProject(sql: Sql, projectId: string): Promise<number | undefined> {
  const [project] = await sql.query<{ id: number }>(
    `select id from projects where public_id = $1 ${sql.dialect.forUpdate}`,
    [projectId],
  );
  return project?.id;
}

interface StoredProject {
  id: number;
  settings: Partial<ProjectSettings>;
}

async function findProject(sql: Sql, projectId: string): Promise<StoredProject | undefined> {
  const [project] = await sql.query<{ id: number; settings: string }>(
    `select id, cast(settings as text) as settings from projects where public_id = $1 ${sql.dialect.forUpdate}`,
    [projectId],
  );
  return project && { id: project.id, settings: JSON.parse(project.settings) };
}

async function storeSettings(
  sql: Sql,
  project: number,
  settings: Partial<ProjectSettings>,
  version: number,
): Promise<void> {
  await sql.query('update projects set settings = $1, changed = $2 where id = $3', [
    JSON.stringify(settings),
    version,
    project,
  ]);
}

/** For processes that have it in memory. */
async function noteRemoval(
  sql: Sql,
  what: 'project' | 'key' | 'link',
  id: string,
  version: number,
): Promise<void> {
  await sql.query('insert into removals (version, what, id) values ($1, $2, $3)', [version, what, id]);
  await sql.query('delete from removals where version < $1', [version - keptVersions]);
}

async function insertProject(
  sql: Sql,
  { id, settings, createdAt }: Project,
  keys: StoredKey[],
  version: number,
): Promise<void> {
  await sql.query('insert into projects (public_id, settings, created_at, changed) values ($1, $2, $3, $4)', [
    id,
    JSON.stringify(settings),
    createdAt,
    version,
  ]);
  for (const key of keys) await insertKey(sql, key, version);
}

/** @throws Error where its project is not there */
export async function insertKey(sql: Sql, key: StoredKey, version: number): Promise<void> {
  const { id, hash, name, scope, projectId, createdAt, expiresAt, networks, maker } = key;
  const inserted = await sql.query(
    `insert into keys (id, hash, name, scope, project, created_at, changed, expires_at, networks,
       maker_kind, maker_id, maker_name)
     select $1, $2, $3, $4, p.id, $6, $7, $8, $9, $10, $11, $12
     from (select 1 as one) one left join projects p on p.public_id = $5
     where cast($5 as text) is null or p.id is not null
     returning id`,
    [
      ...[id, hash, name, scope, projectId, createdAt, version, expiresAt, JSON.stringify(networks)],
      ...[maker?.kind ?? null, maker?.id ?? null, maker?.name ?? null],
    ],
  );
  if (inserted.length !== 1) throw new Error(`There is no project ${projectId}.`);
}

async function setSecret(sql: Sql, project: number, name: string, sealed: Uint8Array | null): Promise<void> {
  if (sealed === null) {
    await sql.query('delete from secrets where project = $1 and name = $2', [project, name]);
  } else {
    await sql.query(
      `insert into secrets (project, name, sealed) values ($1, $2, $3)
       on conflict (project, name) do update set sealed = excluded.sealed`,
      [project, name, sealed],
    );
  }
}

/** The key and those that end with it. */
export function endingWith<K extends Key>(keys: readonly K[], keyId: string): K[] {
  const ending = new Set([keyId]);
  // A set is walked on through what is added meanwhile.
  for (const id of ending)
    for (const { id: made, maker } of keys) if (maker?.kind === 'key' && maker.id === id) ending.add(made);
  return keys.filter(({ id }) => ending.has(id));
}
