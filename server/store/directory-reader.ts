import { readStoredSettings } from '../../shared/project/project.ts';
import type { Log } from '../log.ts';
import { program } from '../process/program.ts';
import { quoted } from '../text/one-line.ts';
import type { Changes } from './changes.ts';
import type { Directory, DirectoryChanges, Link, ListedProject, StoredKey } from './projects.ts';

/** The directory in memory, of which only what changed is read again: rows that stayed are the same objects as before. */
export class DirectoryReader {
  readonly #readChanges: (since: number) => Promise<DirectoryChanges>;
  readonly #log: Log | undefined;
  #version = -1;
  readonly #projects = new Map<string, { order: number; project: ListedProject }>();
  readonly #keys = new Map<string, StoredKey>();
  readonly #links = new Map<string, Link>();
  readonly #incomplete = new Set<string>();
  #reading: Promise<Directory> | undefined;

  /** @param readChanges those since a version; -1: all */
  constructor(readChanges: (since: number) => Promise<DirectoryChanges>, log?: Log) {
    this.#readChanges = readChanges;
    this.#log = log;
  }

  /** What was there when it was asked for, or later. */
  async read(): Promise<Directory> {
    // One at a time, as each goes on from what the one before found; who asks meanwhile may need what came since.
    const before = this.#reading;
    const reading = (async () => {
      await before?.catch(() => undefined);
      return this.#take(await this.#readChanges(this.#version));
    })();
    this.#reading = reading;
    return reading;
  }

  #take({
    version,
    isPart,
    projects,
    keys,
    links,
    removals,
    hasPassword,
    incomplete,
  }: DirectoryChanges): Directory {
    if (!isPart)
      for (const known of [this.#projects, this.#keys, this.#links, this.#incomplete]) known.clear();
    for (const table of incomplete) this.#incomplete.add(table);
    for (const removal of removals) this.#remove(removal);
    for (const { order, ...row } of projects)
      this.#projects.set(row.id, { order, project: toProject(row, this.#log) });
    for (const row of keys) this.#keys.set(row.id, toKey(row));
    for (const link of links) this.#links.set(link.id, link);
    this.#version = version;
    const inOrder = [...this.#projects.values()].sort((a, b) => a.order - b.order);
    return {
      version,
      projects: inOrder.map(({ project }) => project),
      keys: [...this.#keys.values()].sort(byAge),
      links: [...this.#links.values()].sort(byAge),
      // Nobody is to set it anew because it cannot be read.
      hasPassword: hasPassword || this.#incomplete.has('administrator'),
      incomplete: new Set(this.#incomplete),
    };
  }

  /** What has the name of something that was removed comes after it. */
  #remove({ what, id }: DirectoryChanges['removals'][number]): void {
    if (what === 'key') this.#keys.delete(id);
    else if (what === 'link') this.#links.delete(id);
    else {
      this.#projects.delete(id);
      removeOf(this.#keys, id);
      removeOf(this.#links, id);
    }
  }
}

/** Projects with their directory in memory. */
export function withDirectory<Projects extends { readDirectory(since: number): Promise<DirectoryChanges> }>(
  { readDirectory, ...rest }: Projects,
  changes: Changes,
  log: Log | undefined,
) {
  const reader = new DirectoryReader(readDirectory, log);
  return {
    ...rest,
    directory: () => reader.read(),
    onDirectoryChange: (changed: () => void) => changes.listen('directory', changed),
  };
}

function toProject(
  { settings, secrets, ...project }: Omit<DirectoryChanges['projects'][number], 'order'>,
  log: Log | undefined,
): ListedProject {
  const stored = JSON.parse(settings);
  return {
    ...project,
    settings: readStoredSettings(stored, (setting, why) =>
      log?.warn(
        `The setting ${quoted(setting)} of the project "${quoted(String(stored?.name))}" (${project.id}) has something that cannot be used and is left out: ${why}. Set it anew in the project's settings, or with "${program} project set ${project.id}".`,
      ),
    ),
    secrets: (JSON.parse(secrets) as { name: ListedProject['secrets'][number] }[]).map(({ name }) => name),
  };
}

function toKey({
  networks,
  makerKind,
  makerId,
  makerName,
  ...key
}: DirectoryChanges['keys'][number]): StoredKey {
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
