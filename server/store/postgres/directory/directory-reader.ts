import type { ActorKind } from '../../../../shared/accounts/audit-actions.ts';
import { type ProjectSettings, readStoredSettings } from '../../../../shared/project/project.ts';
import type { SecretName } from '../../../../shared/secrets.ts';
import type { Link } from '../../admin/admin-store.ts';
import type { Directory, ListedProject, StoredKey } from '../../project-store.ts';
import type { Database } from '../database.ts';
import type { Queryable } from '../queryable.ts';
import { readVersions } from './versions.ts';

/** Of removals that are kept; a node that has not looked for longer reads everything. */
export const keptVersions = 10_000;

interface ProjectRow {
  order: number;
  id: string;
  settings: ProjectSettings;
  createdAt: string;
  secrets: SecretName[];
}

interface KeyRow extends Omit<StoredKey, 'networks' | 'maker'> {
  /** JSON list. */
  networks: string;
  makerKind: ActorKind | null;
  makerId: string | null;
  makerName: string | null;
}

interface Removal {
  what: 'project' | 'key' | 'link';
  id: string;
}

/** The directory in memory, of which only what changed is read again: rows that stayed are the same objects as before. */
export class DirectoryReader {
  readonly #database: Database;
  #version = -1;
  #projects = new Map<string, { order: number; project: ListedProject }>();
  #keys = new Map<string, StoredKey>();
  #links = new Map<string, Link>();
  #reading: Promise<Directory> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** What was there when it was asked for, or later. */
  async read(): Promise<Directory> {
    // One at a time, as each goes on from what the one before found; who asks meanwhile may need what came since.
    const before = this.#reading;
    const reading = (async () => {
      await before?.catch(() => undefined);
      return this.#database.snapshot((db) => this.#readFrom(db));
    })();
    this.#reading = reading;
    return reading;
  }

  async #readFrom(db: Queryable): Promise<Directory> {
    const { directory: version } = await readVersions(db);
    const since = version - this.#version < keptVersions ? this.#version : -1;
    const projects = await db.query<ProjectRow>(
      `select p.id as "order", p.public_id as id, p.settings, p.created_at as "createdAt", array(
         select s.name from secrets s where s.project = p.id order by s.name collate "C") as secrets
       from projects p where p.changed > $1`,
      [since],
    );
    const keys = await db.query<KeyRow>(
      `select k.id, k.hash, k.name, k.scope, p.public_id as "projectId", k.created_at as "createdAt",
         k.expires_at as "expiresAt", k.networks, k.maker_kind as "makerKind", k.maker_id as "makerId",
         k.maker_name as "makerName"
       from keys k left join projects p on p.id = k.project where k.changed > $1`,
      [since],
    );
    const links = await db.query<Link>(
      `select l.id, p.public_id as "projectId", l.kind, l.token, l.created_at as "createdAt"
       from links l join projects p on p.id = l.project where l.changed > $1`,
      [since],
    );
    const removals = await db.query<Removal>(
      'select what, id from removals where version > $1 order by version',
      [since],
    );
    const [administrator] = await db.query<{ hasPassword: boolean }>(
      'select password is not null as "hasPassword" from administrator',
    );
    if (since === -1) this.#clear();
    for (const removal of removals) this.#remove(removal);
    for (const row of projects) this.#projects.set(row.id, { order: row.order, project: toProject(row) });
    for (const row of keys) this.#keys.set(row.id, toKey(row));
    for (const link of links) this.#links.set(link.id, link);
    this.#version = version;
    return this.#directory(administrator?.hasPassword ?? false);
  }

  #clear(): void {
    this.#projects.clear();
    this.#keys.clear();
    this.#links.clear();
  }

  /** What has the name of something that was removed comes after it. */
  #remove({ what, id }: Removal): void {
    if (what === 'key') this.#keys.delete(id);
    else if (what === 'link') this.#links.delete(id);
    else {
      this.#projects.delete(id);
      removeOf(this.#keys, id);
      removeOf(this.#links, id);
    }
  }

  #directory(hasPassword: boolean): Directory {
    const projects = [...this.#projects.values()].sort((a, b) => a.order - b.order);
    return {
      version: this.#version,
      projects: projects.map(({ project }) => project),
      keys: [...this.#keys.values()].sort(byAge),
      links: [...this.#links.values()].sort(byAge),
      hasPassword,
    };
  }
}

function toProject({ order: _, settings, ...project }: ProjectRow): ListedProject {
  return { ...project, settings: readStoredSettings(settings) };
}

function toKey({ networks, makerKind, makerId, makerName, ...key }: KeyRow): StoredKey {
  const maker = makerKind && { kind: makerKind, id: makerId, name: makerName };
  return { ...key, networks: JSON.parse(networks), maker };
}

function removeOf(entries: Map<string, { projectId: string | null }>, projectId: string): void {
  for (const [id, entry] of entries) if (entry.projectId === projectId) entries.delete(id);
}

interface Made {
  createdAt: string;
  id: string;
}

function byAge(a: Made, b: Made): number {
  return compare(a.createdAt, b.createdAt) || compare(a.id, b.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
