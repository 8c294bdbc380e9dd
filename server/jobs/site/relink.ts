import { posix } from 'node:path';
import { decode } from './anchors.ts';
import { readEntriesOf, readLinksOf } from './check/checks.ts';
import { splitTarget } from './links.ts';
import type { Entry } from './navigation.ts';
import { foldRoute, routeOf, routesOf } from './routes.ts';
import type { Site } from './site.ts';
import type { SiteState } from './site-state.ts';

/** Where files are that have moved, by where they were. */
export type Moves = ReadonlyMap<string, string>;

export interface Relinked {
  text: string;
  /** How many links or entries were corrected. */
  count: number;
}

/** A page with its links as they have to be once files have moved. @param state the site before that */
export async function relinkPage(
  state: SiteState,
  path: string,
  text: string,
  moves: Moves,
): Promise<Relinked> {
  const pieces: string[] = [];
  let at = 0;
  let count = 0;
  for (const { target, start, end } of await readLinksOf(path, text)) {
    const next = start < at ? undefined : await correct(state, path, target, moves);
    if (next === undefined || next === target) continue;
    pieces.push(text.slice(at, start), next);
    at = end;
    count += 1;
  }
  return { text: pieces.join('') + text.slice(at), count };
}

/** Undefined: the link stays as it is. */
async function correct(
  state: SiteState,
  path: string,
  target: string,
  moves: Moves,
): Promise<string | undefined> {
  const found = await state.resolve(path, target);
  const written = splitTarget(target).path;
  if (typeof found === 'string' || written === '') return undefined;
  const to = moves.get(found.path);
  const rest = target.slice(written.length);
  if (written.startsWith('/'))
    return to && withRest(newAddress(state.site, written, { from: found.path, to }), rest);
  if (to && written.startsWith('@site/')) return fromSettings(state.site, to) + rest;
  const page = moves.get(path) ?? path;
  const destination = to ?? found.path;
  const isAsBefore =
    posix.relative(posix.dirname(page), destination) === posix.relative(posix.dirname(path), found.path);
  if (written.startsWith('@') || isAsBefore) return undefined;
  const names = posix.join(posix.dirname(path), decode(written)).replace(/\/$/, '');
  // What is seen from the page's address is written from the top: no other spelling holds for every framework.
  if (!found.path.startsWith(names)) return withRest(seenFrom(state.site, page, destination), rest);
  return relativeTo(posix.dirname(page), destination, written, posix.extname(found.path)) + rest;
}

/** A page by its address, and what is no page as an address like `/page/` leads to it. */
function seenFrom(site: Site, page: string, destination: string): string | undefined {
  const route = routeOf(site, destination);
  const [start, inside] = [routeOf(site, page), posix.relative(site.root, destination)];
  if (route !== undefined || start === undefined || inside.startsWith('..')) return route;
  return posix.relative(start, posix.join(site.base || '/', inside));
}

/** What Docusaurus calls the folder of its settings. */
function fromSettings({ folder }: Site, path: string): string {
  return `@site/${folder === '' ? path : posix.relative(folder, path)}`;
}

function withRest(start: string | undefined, rest: string): string | undefined {
  return start === undefined ? undefined : start + rest;
}

/** In the manner in which the old one was written: with or without extension, "./" and "/". */
function relativeTo(folder: string, destination: string, written: string, extension: string): string {
  const full = posix.relative(folder, destination);
  const isBare = extension !== '' && !written.endsWith(extension);
  const bare = full.replace(/\.[^./]+$/, '').replace(/(^|\/)(?:_?index|readme)$/i, '$1');
  const relative = isBare ? bare.replace(/(?<=.)\/$/, '') || '.' : full;
  const start = written.startsWith('./') && !relative.startsWith('.') ? './' : '';
  return encodeURI(start + relative + (isBare && written.endsWith('/') ? '/' : ''));
}

/** The address of a page, or of a file that is served as it is, of the same kind as the old one. */
function newAddress(
  site: Site,
  written: string,
  { from, to }: { from: string; to: string },
): string | undefined {
  const index = routesOf(site, from).indexOf(foldRoute(written));
  if (index === -1) return newPlace(written, { from, to });
  const routes = routesOf(site, to);
  const route = routes[index] ?? routes[0];
  const [, ending = ''] = /[^/](\.html?|\.mdx?|\/)$/.exec(written) ?? [];
  if (route === undefined) return undefined;
  // The page of a folder by its name, as Sphinx wants it.
  const [named = ''] = /\/(?:_?index|readme)$/i.exec(written) ?? [];
  if (named !== '' && posix.parse(to).name === named.slice(1))
    return encodeURI(route.replace(/\/$/, '')) + named;
  return encodeURI(route) + (ending.startsWith('.md') ? posix.extname(to) : ending);
}

function newPlace(written: string, { from, to }: { from: string; to: string }): string | undefined {
  const inside = decode(written).slice(1);
  const root = from.endsWith(inside) ? from.slice(0, from.length - inside.length) : undefined;
  return root !== undefined && to.startsWith(root) ? encodeURI(`/${to.slice(root.length)}`) : undefined;
}

/** A navigation that is data, with its entries as they have to be once pages have moved. */
export async function relinkNavigation(
  state: SiteState,
  path: string,
  text: string,
  moves: Moves,
): Promise<Relinked> {
  const pieces: string[] = [];
  let at = 0;
  let count = 0;
  const entries = await readEntriesOf(state.site, path, text);
  for (const entry of entries.toSorted((one, other) => (one.start ?? 0) - (other.start ?? 0))) {
    const { name, start } = entry;
    const found = await state.resolve(entry.from, entry.target);
    if (typeof found === 'string' || start === undefined || start < at) continue;
    const to = moves.get(found.path);
    if (to === undefined && !moves.has(path)) continue;
    const next = newName(state.site, moves.get(path) ?? path, entry, to ?? found.path);
    if (next === undefined || next === name) continue;
    pieces.push(text.slice(at, start), next);
    at = start + name.length;
    count += 1;
  }
  return { text: pieces.join('') + text.slice(at), count };
}

/** Undefined where the list cannot name the new place. */
function newName({ root }: Site, path: string, { name }: Entry, to: string): string | undefined {
  const stem = (of: string) => (posix.extname(name) === '' ? of.replace(/\.[^./]+$/, '') : of);
  const folder = posix.dirname(path);
  if (path.endsWith('_meta.json')) return posix.dirname(to) === folder ? stem(posix.basename(to)) : undefined;
  if (/\.(rst|md)$/.test(path) && !name.startsWith('/')) return stem(posix.relative(folder, to));
  const isInside = root === '' || to.startsWith(`${root}/`);
  const inside = to.slice(root === '' ? 0 : root.length + 1);
  return isInside ? (name.startsWith('/') ? '/' : '') + stem(inside) : undefined;
}
