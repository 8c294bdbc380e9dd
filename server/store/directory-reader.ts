import { readStoredSettings } from '../../shared/project/project.ts';
import type { Log } from '../log.ts';
import { program } from '../process/program.ts';
import { quoted } from '../text/one-line.ts';
import type { Changes } from './changes.ts';
import type { Directory, DirectoryChanges, Link, ListedProject, StoredKey } from './projects.ts';

/**
 * The directory in memory, of which only what changed is read again: rows that stayed are the same objects as before. What was
 * there when it was asked for, or later.
 *
 * @param readChanges those since a version; -1: all
 */
export function directoryReader(
  readChanges: (since: number) => Promise<DirectoryChanges>,
  log?: Log,
): () => Promise<Directory> {
  let version = -1;
  const projects = new Map<string, { order: number; project: ListedProject }>();
  const keys = new Map<string, StoredKey>();
  const links = new Map<string, Link>();
  const incomplete = new Set<string>();
  let reading: Promise<Directory> | undefined;

  function take({ isPart, hasPassword, removals, ...read }: DirectoryChanges): Directory {
    if (!isPart) for (const known of [projects, keys, links, incomplete]) known.clear();
    for (const table of read.incomplete) incomplete.add(table);
    for (const removal of removals) remove(removal);
    for (const { order, ...row } of read.projects)
      projects.set(row.id, { order, project: toProject(row, log) });
    for (const row of read.keys) keys.set(row.id, toKey(row));
    for (const link of read.links) links.set(link.id, link);
    version = read.version;
    const inOrder = [...projects.values()].sort((a, b) => a.order - b.order);
    return {
      version,
      projects: inOrder.map(({ project }) => project),
      keys: [...keys.values()].sort(byAge),
      links: [...links.values()].sort(byAge),
      // Nobody is to set it anew because it cannot be read.
      hasPassword: hasPassword || incomplete.has('administrator'),
      incomplete: new Set(incomplete),
    };
  }

  /** What has the name of something that was removed comes after it. */
  function remove({ what, id }: DirectoryChanges['removals'][number]): void {
    if (what === 'key') keys.delete(id);
    else if (what === 'link') links.delete(id);
    else {
      projects.delete(id);
      removeOf(keys, id);
      removeOf(links, id);
    }
  }

  return () => {
    // One at a time, as each goes on from what the one before found; who asks meanwhile may need what came since.
    const before = reading;
    reading = (async () => {
      await before?.catch(() => undefined);
      return take(await readChanges(version));
    })();
    return reading;
  };
}

/** Projects with their directory in memory. */
export function withDirectory<Projects extends { readDirectory(since: number): Promise<DirectoryChanges> }>(
  { readDirectory, ...rest }: Projects,
  changes: Changes,
  log: Log | undefined,
) {
  return {
    ...rest,
    directory: directoryReader(readDirectory, log),
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
