import type { Statement } from 'better-sqlite3';
import type { ActorKind } from '../../../../shared/accounts/audit-actions.ts';
import type { KeyScope } from '../../../../shared/accounts/key-scope.ts';
import type { ProjectSettings } from '../../../../shared/project/project.ts';
import type { SecretName } from '../../../../shared/secrets.ts';
import type { Link } from '../../admin/admin-store.ts';
import type { EncryptedSecrets, Project, StoredKey } from '../../project-store.ts';
import { withHost, withSeenHosts } from '../../seen-hosts.ts';
import type { Connection } from '../connection.ts';
import { change, VersionReader } from './versions.ts';

interface ProjectRow {
  public_id: string;
  settings: string;
  created_at: string;
  /** JSON list of names. */
  secrets: string;
}

interface KeyRow {
  id: string;
  hash: string;
  name: string;
  scope: KeyScope;
  project_id: string | null;
  created_at: string;
  expires_at: string | null;
  /** JSON list. */
  networks: string;
  maker_kind: ActorKind | null;
  maker_id: string | null;
  maker_name: string | null;
}

/** A directory whose settings nobody has checked yet: the threads of the store do without zod. */
export interface RawDirectory {
  version: number;
  projects: { id: string; settings: unknown; createdAt: string; secrets: SecretName[] }[];
  keys: StoredKey[];
  links: Link[];
  hasPassword: boolean;
}

/** Projects and all else that decides about a request. */
export class ProjectReader {
  readonly #db: Connection;
  readonly #versions: VersionReader;
  readonly #hasPassword: Statement<[]>;

  constructor(db: Connection) {
    this.#db = db;
    this.#versions = new VersionReader(db);
    this.#hasPassword = db.prepare('select 1 from administrator where password is not null');
  }

  directoryVersion(): number {
    return this.#versions.versions().directory;
  }

  directory(): RawDirectory {
    return this.#db.transaction(() => ({
      version: this.directoryVersion(),
      projects: this.#db
        .prepare<[], ProjectRow>(
          `select public_id, settings, created_at, (
             select json_group_array(name order by name) from secrets where project = projects.id) as secrets
           from projects order by id`,
        )
        .all()
        .map(toProject),
      keys: this.#db
        .prepare<[], KeyRow>(
          `select k.*, p.public_id as project_id
           from keys k left join projects p on p.id = k.project order by k.created_at, k.id`,
        )
        .all()
        .map(toKey),
      links: this.#db
        .prepare<[], Link>(
          `select l.id, p.public_id as projectId, l.kind, l.token, l.created_at as createdAt
           from links l join projects p on p.id = l.project order by l.created_at, l.id`,
        )
        .all(),
      hasPassword: this.#hasPassword.get() !== undefined,
    }))();
  }

  readSecrets(projectId: string): Partial<Record<SecretName, Uint8Array>> {
    const rows = this.#db
      .prepare<[string], { name: SecretName; sealed: Buffer }>(
        'select s.name, s.sealed from secrets s join projects p on p.id = s.project where p.public_id = ?',
      )
      .all(projectId);
    return Object.fromEntries(rows.map(({ name, sealed }) => [name, sealed]));
  }
}

/** Changes projects, their keys and secrets. */
export class ProjectWriter {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  addProject(project: Project, keys: StoredKey[]): void {
    this.#change(() => {
      this.#insertProject(project, keys);
      return true;
    });
  }

  addFirstProject(project: Project, keys: StoredKey[]): boolean {
    return this.#change(() => {
      if (this.#db.prepare('select 1 from projects').get() !== undefined) return false;
      this.#insertProject(project, keys);
      return true;
    });
  }

  setProject(projectId: string, settings: ProjectSettings, secrets: EncryptedSecrets = {}): boolean {
    return this.#change(() => {
      const project = this.#find(projectId);
      if (!project) return false;
      this.#store(project.id, withSeenHosts(settings, project.settings));
      for (const [name, sealed] of Object.entries(secrets)) this.#setSecret(project.id, name, sealed);
      return true;
    });
  }

  noteHost(projectId: string, host: string): boolean {
    return this.#change(() => {
      const project = this.#find(projectId);
      const settings = project && withHost(project.settings, host);
      if (!settings) return false;
      this.#store(project.id, settings);
      return true;
    });
  }

  removeProject(projectId: string): boolean {
    return this.#change(() => {
      const row = this.#db
        .prepare<[string], { id: number }>('select id from projects where public_id = ?')
        .get(projectId);
      if (!row) return false;
      for (const table of ['seen', 'newly_seen', 'visit_views']) {
        this.#db
          .prepare(`delete from ${table} where day in (select id from days where project = ?)`)
          .run(row.id);
      }
      this.#db.prepare('delete from days where project = ?').run(row.id);
      this.#db.prepare('delete from counts where project = ?').run(row.id);
      this.#db.prepare('delete from projects where id = ?').run(row.id);
      return true;
    });
  }

  addKey(key: StoredKey): boolean {
    return this.#change(() => {
      const { maker } = key;
      if (maker?.kind === 'key' && !this.#db.prepare('select 1 from keys where id = ?').get(maker.id))
        return false;
      this.#insertKey(key);
      return true;
    });
  }

  revokeKey(keyId: string): boolean {
    const revoke = this.#db.prepare(
      `with recursive ending (id) as (
         select id from keys where id = ?
         union select k.id from keys k join ending e on k.maker_id = e.id where k.maker_kind = 'key')
       delete from keys where id in (select id from ending)`,
    );
    return this.#change(() => revoke.run(keyId).changes > 0);
  }

  #insertProject({ id, settings, createdAt }: Project, keys: StoredKey[]): void {
    this.#db
      .prepare('insert into projects (public_id, settings, created_at) values (?, ?, ?)')
      .run(id, JSON.stringify(settings), createdAt);
    for (const key of keys) this.#insertKey(key);
  }

  #find(projectId: string): { id: number; settings: Partial<ProjectSettings> } | undefined {
    const row = this.#db
      .prepare<[string], { id: number; settings: string }>(
        'select id, settings from projects where public_id = ?',
      )
      .get(projectId);
    return row && { id: row.id, settings: JSON.parse(row.settings) };
  }

  #store(project: number, settings: Partial<ProjectSettings>): void {
    this.#db.prepare('update projects set settings = ? where id = ?').run(JSON.stringify(settings), project);
  }

  #setSecret(project: number, name: string, sealed: Uint8Array | null): void {
    if (sealed === null) {
      this.#db.prepare('delete from secrets where project = ? and name = ?').run(project, name);
    } else {
      this.#db
        .prepare('insert or replace into secrets (project, name, sealed) values (?, ?, ?)')
        .run(project, name, sealed);
    }
  }

  #insertKey(key: StoredKey): void {
    const inserted = this.#db
      .prepare(
        `insert into keys (id, hash, name, scope, project, created_at, expires_at, networks,
           maker_kind, maker_id, maker_name)
         select @id, @hash, @name, @scope, p.id, @createdAt, @expiresAt, @networks, @makerKind, @makerId, @makerName
         from (select 1) left join projects p on p.public_id = @projectId
         where @projectId is null or p.id is not null`,
      )
      .run(keyColumns(key)).changes;
    if (inserted !== 1) throw new Error(`There is no project ${key.projectId}.`);
  }

  #change(apply: () => boolean): boolean {
    return change(this.#db, ['directory'], apply);
  }
}

function toProject(row: ProjectRow): RawDirectory['projects'][number] {
  return {
    id: row.public_id,
    settings: JSON.parse(row.settings),
    createdAt: row.created_at,
    secrets: JSON.parse(row.secrets),
  };
}

function toKey(row: KeyRow): StoredKey {
  return {
    id: row.id,
    hash: row.hash,
    name: row.name,
    scope: row.scope,
    projectId: row.project_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    networks: JSON.parse(row.networks),
    maker: row.maker_kind && { kind: row.maker_kind, id: row.maker_id, name: row.maker_name },
  };
}

/** A key as its statement takes it. */
export function keyColumns({ networks, maker, ...key }: StoredKey): Record<string, string | null> {
  return {
    ...key,
    networks: JSON.stringify(networks),
    makerKind: maker?.kind ?? null,
    makerId: maker?.id ?? null,
    makerName: maker?.name ?? null,
  };
}
