/** A page that has another path now, or all pages below one: `/docs/v1/**`. */
export interface Rename {
  from: string;
  /** Of a folder, `/docs/**` keeps what follows, and `/docs` makes one page of all. */
  to: string;
}

export const maxRenames = 1000;

const below = '/**';

/** What stands in a line: the old path, white space, and the new one. */
export function renameOf(line: string): Rename {
  const [from = '', ...to] = line.trim().split(/\s+/);
  return { from: plain(from), to: plain(to.join(' ')) };
}

export const lineOf = ({ from, to }: Rename): string => `${from} ${to}`;

/** A path has no slash at its end. */
const plain = (path: string) => path.replace(/(?<=[^/])\/+$/, '');

const folderOf = (path: string) => (path.endsWith(below) ? path.slice(0, -below.length) : undefined);

export const isRenamePath = (path: string) =>
  path.startsWith('/') && !/[*{}[\]\s\\]/.test(folderOf(path) ?? path);

/** Why it is none, as the end of a sentence; undefined: it is one. */
export function findRenameFault({ from, to }: Rename): string | undefined {
  if (!isRenamePath(from) || !isRenamePath(to))
    return 'must be the old path, a space and the new one, such as "/old /new" or "/docs/v1/** /docs/**"';
  if (from === to) return 'changes nothing: give another path as the new one';
  return folderOf(from) === undefined && folderOf(to) !== undefined
    ? 'leads one page to many: end both with /**, or neither'
    : undefined;
}

/** The last rename of those on which paths go round, or grow for ever; undefined: there is none. */
export function findCircle(renames: readonly Rename[]): Rename | undefined {
  const step = stepOf(renames);
  // No rename names what may follow.
  const pageOf = (path: string) => (folderOf(path) === undefined ? path : `${folderOf(path)}/\0`);
  const endless = renames.findLast(({ to }) => walk(pageOf(to), step, renames.length) === undefined);
  if (!endless) return undefined;
  const circle = new Set<string>();
  let now = pageOf(endless.to);
  // After so many steps it has come to the circle that it leads into, and then goes round once at least.
  for (let steps = 0; steps < 2 * renames.length && now.length <= maxLength; steps++) {
    if (steps >= renames.length) circle.add(now);
    now = step(now);
  }
  return renames.findLast(({ from }) => circle.has(pageOf(from))) ?? endless;
}

/** The path that a page has by all renames, one after the other. */
export function renamer(renames: readonly Rename[]): (path: string) => string {
  const step = stepOf(renames);
  return (path) => walk(path, step, renames.length) ?? path;
}

/** Most names of a path that are looked for. */
const maxNames = 100;

/**
 * All names under which pages may have been what a path is by these renames, itself first; a folder that became one page is
 * one as well, with its `/**`.
 */
export function namesBy(renames: readonly Rename[]): (path: string) => string[] {
  const now = renamer(renames);
  const byTarget = Map.groupBy(renames, ({ to }) => folderOf(to) ?? to);
  return (path) => {
    // Each with the targets that led to it: a folder within the one that it moves to would never end.
    const names = new Map<string, readonly string[]>([[path, []]]);
    for (const [name, targets] of names)
      for (const target of beginningsOf(name)) {
        if (targets.includes(target)) continue;
        const rest = name.slice(target.length);
        const former = (byTarget.get(target) ?? []).flatMap((rename) => namesBefore(rename, rest));
        for (const old of former)
          if (names.size < maxNames && !names.has(old) && now(old) === path)
            names.set(old, [...targets, target]);
      }
    return [...names.keys()];
  };
}

/** A path, itself without its query, and the folders that it is in; that of the whole site is empty. */
function beginningsOf(path: string): Iterable<string> {
  const [file = ''] = path.split(/[?#]/, 1);
  const folders = [...file.matchAll(/\//g)].map(({ index }) => file.slice(0, index));
  return new Set([path, file, ...folders]);
}

/** What pages were called before a rename, by what follows its target. */
function namesBefore({ from, to }: Rename, rest: string): string[] {
  const folder = folderOf(from);
  if (folderOf(to) !== undefined) return [folder + rest || '/'];
  return rest.startsWith('/') ? [] : [from, folder ?? from].map((one) => one + rest);
}

/** No path that is counted is as long, nor a rename. */
const maxLength = 4096;

/** Undefined: it does not end. */
function walk(path: string, step: (path: string) => string, renames: number): string | undefined {
  let now = path;
  // Each may take away a part of the path, of which there are so many at most.
  for (let steps = 0; steps <= renames + 512; steps++) {
    const next = step(now);
    if (next === now) return now;
    if (next.length > maxLength) return undefined;
    now = next;
  }
  return undefined;
}

/** The path after one rename: that of the page itself, or else of the deepest folder. */
function stepOf(renames: readonly Rename[]): (path: string) => string {
  const pages = new Map(renames.map(({ from, to }) => [from, to]));
  const folders = new Map(
    renames.flatMap(({ from, to }) => {
      const folder = folderOf(from);
      return folder === undefined ? [] : [[folder, to]];
    }),
  );
  const ofFile = (file: string): string | undefined => {
    const page = pages.get(file);
    if (page !== undefined || folders.size === 0) return page;
    for (
      let end = file === '/' ? 0 : file.length;
      end >= 0;
      end = end === 0 ? -1 : file.lastIndexOf('/', end - 1)
    ) {
      const to = folders.get(file.slice(0, end));
      if (to === undefined) continue;
      const folder = folderOf(to);
      return folder === undefined ? to : folder + file.slice(end) || '/';
    }
    return undefined;
  };
  return (path) => {
    // Such as `(other)`.
    if (!path.startsWith('/')) return path;
    const whole = pages.get(path);
    if (whole !== undefined) return whole;
    const end = path.search(/[?#]/);
    const file = end < 0 ? path : path.slice(0, end);
    const to = ofFile(file);
    return to === undefined ? path : to + path.slice(file.length);
  };
}
