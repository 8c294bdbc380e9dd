import type { ProjectSettings } from '../../../../shared/project/project.ts';
import type { SecretName } from '../../../../shared/secrets.ts';
import type { Changes } from '../../changes.ts';
import type { Directory, EncryptedSecrets, Project, ProjectStore, StoredKey } from '../../project-store.ts';
import { withHost, withSeenHosts } from '../../seen-hosts.ts';
import type { Database } from '../database.ts';
import type { Queryable } from '../queryable.ts';
import { DirectoryReader, keptVersions } from './directory-reader.ts';
import { change, readVersions } from './versions.ts';

/** Deletes what a part of the store keeps of a project, by its number. */
export type ForgetProject = (db: Queryable, project: number) => Promise<void>;

/** Projects, their keys and secrets. */
export class Projects implements ProjectStore {
  readonly #database: Database;
  readonly #changes: Changes;
  readonly #forget: readonly ForgetProject[];
  readonly #reader: DirectoryReader;

  /** @param forget of what does not go with the project's row by itself */
  constructor(database: Database, changes: Changes, forget: readonly ForgetProject[]) {
    this.#database = database;
    this.#changes = changes;
    this.#forget = forget;
    this.#reader = new DirectoryReader(database);
  }

  async directory(): Promise<Directory> {
    return this.#reader.read();
  }

  async directoryVersion(): Promise<number> {
    return (await readVersions(this.#database)).directory;
  }

  onDirectoryChange(changed: () => void): () => void {
    return this.#changes.listen('directory', changed);
  }

  async addProject(project: Project, keys: StoredKey[]): Promise<void> {
    await this.#change(async (db, version) => {
      await insertProject(db, project, keys, version);
      return true;
    });
  }

  async addFirstProject(project: Project, keys: StoredKey[]): Promise<boolean> {
    return this.#change(async (db, version) => {
      if ((await db.query('select from projects limit 1')).length > 0) return false;
      await insertProject(db, project, keys, version);
      return true;
    });
  }

  async setProject(
    projectId: string,
    settings: ProjectSettings,
    secrets: EncryptedSecrets = {},
  ): Promise<boolean> {
    return this.#change(async (db, version) => {
      const project = await findProject(db, projectId);
      if (!project) return false;
      await storeSettings(db, project.id, withSeenHosts(settings, project.settings), version);
      for (const [name, sealed] of Object.entries(secrets)) await setSecret(db, project.id, name, sealed);
      return true;
    });
  }

  async noteHost(projectId: string, host: string): Promise<boolean> {
    return this.#change(async (db, version) => {
      const project = await findProject(db, projectId);
      const settings = project && withHost(project.settings, host);
      if (!settings) return false;
      await storeSettings(db, project.id, settings, version);
      return true;
    });
  }

  async readSecrets(projectId: string): Promise<Partial<Record<SecretName, Uint8Array>>> {
    const rows = await this.#database.query<{ name: SecretName; sealed: Uint8Array }>(
      'select s.name, s.sealed from secrets s join projects p on p.id = s.project where p.public_id = $1',
      [projectId],
    );
    return Object.fromEntries(rows.map(({ name, sealed }) => [name, sealed]));
  }

  async removeProject(projectId: string): Promise<boolean> {
    return this.#change(async (db, version) => {
      // Not locked yet, as what holds the parts of it does so first. No one else removes it meanwhile.
      const [project] = await db.query<{ id: number }>('select id from projects where public_id = $1', [
        projectId,
      ]);
      if (!project) return false;
      for (const forget of this.#forget) await forget(db, project.id);
      await db.query('delete from projects where id = $1', [project.id]);
      await noteRemoval(db, 'project', projectId, version);
      return true;
    });
  }

  async addKey(key: StoredKey): Promise<boolean> {
    return this.#change(async (db, version) => {
      const { maker } = key;
      if (
        maker?.kind === 'key' &&
        (await db.query('select from keys where id = $1', [maker.id])).length === 0
      )
        return false;
      await insertKey(db, key, version);
      return true;
    });
  }

  async revokeKey(keyId: string): Promise<boolean> {
    return this.#change(async (db, version) => {
      const revoked = await db.query<{ id: string }>(
        `with recursive ending (id) as (
           select id from keys where id = $1
           union select k.id from keys k join ending e on k.maker_id = e.id where k.maker_kind = 'key')
         delete from keys where id in (select id from ending) returning id`,
        [keyId],
      );
      for (const { id } of revoked) await noteRemoval(db, 'key', id, version);
      return revoked.length > 0;
    });
  }

  async #change(apply: (db: Queryable, version: number) => Promise<boolean>): Promise<boolean> {
    const changed = await change(this.#database, 'directory', apply);
    this.#changes.look();
    return changed;
  }
}

interface StoredProject {
  id: number;
  settings: Partial<ProjectSettings>;
}

async function findProject(db: Queryable, projectId: string): Promise<StoredProject | undefined> {
  const [project] = await db.query<StoredProject>(
    'select id, settings from projects where public_id = $1 for update',
    [projectId],
  );
  return project;
}

async function storeSettings(
  db: Queryable,
  project: number,
  settings: Partial<ProjectSettings>,
  version: number,
): Promise<void> {
  await db.query('update projects set settings = $1, changed = $2 where id = $3', [
    JSON.stringify(settings),
    version,
    project,
  ]);
}

/** For nodes that have it in memory. */
export async function noteRemoval(
  db: Queryable,
  what: 'project' | 'key' | 'link',
  id: string,
  version: number,
): Promise<void> {
  await db.query('insert into removals (version, what, id) values ($1, $2, $3)', [version, what, id]);
  await db.query('delete from removals where version < $1', [version - keptVersions]);
}

async function insertProject(
  db: Queryable,
  { id, settings, createdAt }: Project,
  keys: StoredKey[],
  version: number,
): Promise<void> {
  await db.query('insert into projects (public_id, settings, created_at, changed) values ($1, $2, $3, $4)', [
    id,
    JSON.stringify(settings),
    createdAt,
    version,
  ]);
  for (const key of keys) await insertKey(db, key, version);
}

export async function insertKey(db: Queryable, key: StoredKey, version: number): Promise<void> {
  const { id, hash, name, scope, projectId, createdAt, expiresAt, networks, maker } = key;
  const inserted = await db.query(
    `insert into keys (id, hash, name, scope, project, created_at, changed, expires_at, networks,
       maker_kind, maker_id, maker_name)
     select $1, $2, $3, $4, p.id, $6, $7, $8, $9, $10, $11, $12
     from (select) as one left join projects p on p.public_id = $5
     where $5::text is null or p.id is not null
     returning id`,
    [
      ...[id, hash, name, scope, projectId, createdAt, version, expiresAt, JSON.stringify(networks)],
      ...[maker?.kind ?? null, maker?.id ?? null, maker?.name ?? null],
    ],
  );
  if (inserted.length !== 1) throw new Error(`There is no project ${projectId}.`);
}

async function setSecret(
  db: Queryable,
  project: number,
  name: string,
  sealed: Uint8Array | null,
): Promise<void> {
  if (sealed === null) {
    await db.query('delete from secrets where project = $1 and name = $2', [project, name]);
  } else {
    await db.query(
      `insert into secrets (project, name, sealed) values ($1, $2, $3)
       on conflict (project, name) do update set sealed = excluded.sealed`,
      [project, name, sealed],
    );
  }
}
