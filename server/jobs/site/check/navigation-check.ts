import { type Entry, readEntries } from '../navigation.ts';
import { routesOf } from '../routes.ts';
import { isPage, type Site } from '../site.ts';
import type { SiteState } from '../site-state.ts';
import { type Checked, lostPages, oldPathOf } from './checked.ts';
import { quoted } from './finding.ts';

/** Navigation that names pages which are gone, and new pages that no navigation names. */
export async function findNavigationFaults(checked: Checked): Promise<void> {
  const lost = lostPages(checked);
  for (const path of await listNavigation(checked)) {
    const text = await checked.after.read(path);
    if (text === undefined) continue;
    const entries = readEntries(checked.after.site, path, text);
    if (entries) await checkEntries(checked, path, entries);
    else checkProgram(checked, path, text, lost);
  }
  await findUnlisted(checked);
}

/** Pages can list others, too: those that the change touched, and those above what it took away. */
async function listNavigation(checked: Checked): Promise<string[]> {
  const { changes, after } = checked;
  const lists =
    after.site.framework === 'Sphinx' && lostPages(checked).length > 0 ? await after.find(['toctree']) : [];
  const paths = [...after.site.navigation, ...lists, ...changes.map(({ path }) => path)];
  return [...new Set(paths)].filter((path) => after.paths.has(path));
}

async function checkEntries(checked: Checked, path: string, entries: readonly Entry[]): Promise<void> {
  const { changes, before, after, report } = checked;
  const old = oldPathOf(
    changes.find((change) => change.path === path) ?? { path, from: undefined, status: 'modified' },
  );
  const known = readEntries(before.site, old, (await before.read(old)) ?? '') ?? [];
  const reported = new Set<string>();
  for (const entry of entries) {
    if (reported.has(entry.name) || (await isThere(after, entry))) continue;
    const was = known.find(({ name }) => name === entry.name);
    if (was && !(await isThere(before, was))) continue;
    reported.add(entry.name);
    report({
      path,
      line: undefined,
      problem: `the navigation names ${quoted(entry.name)}, and there is no such page.`,
    });
  }
}

async function isThere(state: SiteState, { from, target }: Entry): Promise<boolean> {
  return (await state.resolve(from, target)) !== 'nothing';
}

/** A program is not run: it is looked through for the names of pages that are gone. */
function checkProgram(
  { before, report }: Checked,
  path: string,
  text: string,
  lost: readonly string[],
): void {
  for (const page of lost) {
    const name = namesOf(before.site, page).find((each) =>
      ['"', "'", '`'].some((quote) => text.includes(quote + each + quote)),
    );
    if (name === undefined) continue;
    report({
      path,
      line: undefined,
      problem: `the navigation still names ${quoted(name)}, whose page ${page} is gone.`,
    });
  }
}

function namesOf(site: Site, path: string): string[] {
  if (!isIn(site, path)) return [];
  const inside = site.root === '' ? path : path.slice(site.root.length + 1);
  const stem = inside.replace(/\.[^./]+$/, '');
  return [inside, stem, ...routesOf(site, path).flatMap((route) => [route, `${route}/`, route.slice(1)])];
}

/** New pages, where all pages are listed one by one. */
async function findUnlisted({ changes, before, after, report }: Checked): Promise<void> {
  const isNew = changes.filter(
    ({ path, status }) => isPage(path) && (status === 'added' || status === 'renamed'),
  );
  if (isNew.length === 0 || !/^(Mintlify|MkDocs|Docusaurus)$/.test(after.site.framework)) return;
  const [listedBefore, listedAfter] = await Promise.all([listPages(before), listPages(after)]);
  if (listedAfter === undefined || listedAfter.size === 0) return;
  for (const change of isNew) {
    const { path, status } = change;
    const wasListed = status === 'added' || (listedBefore?.has(oldPathOf(change)) ?? true);
    if (!wasListed || listedAfter.has(path) || !isPublic(after.site, path)) continue;
    if (isHidden((await after.read(path)) ?? '')) continue;
    report({
      path,
      line: undefined,
      problem: `no navigation names this new page: add it to ${after.site.navigation.join(' or ')}.`,
    });
  }
}

async function listPages(state: SiteState): Promise<Set<string> | undefined> {
  const listed = new Set<string>();
  for (const path of state.site.navigation) {
    const text = (await state.read(path)) ?? '';
    const entries = readEntries(state.site, path, text);
    // Where a part is made by a program, or stands elsewhere, nobody can say what is missing.
    if (entries === undefined || text.includes('"$ref"')) return undefined;
    for (const { from, target } of entries) {
      const found = await state.resolve(from, target);
      if (typeof found === 'object') listed.add(found.path);
    }
  }
  return listed;
}

function isIn({ root }: Site, path: string): boolean {
  return root === '' || path.startsWith(`${root}/`);
}

/** What is put into other pages, or stands beside the site. */
function isPublic(site: Site, path: string): boolean {
  return (
    isIn(site, path) &&
    !/(^|\/)(_|\.|snippets?\/|includes?\/|partials?\/|(README|CHANGELOG|CONTRIBUTING|LICENSE)\.)/i.test(path)
  );
}

function isHidden(text: string): boolean {
  return /^(hidden|draft|unlisted|orphan):[ \t]*true\b/m.test(text.slice(0, 4_000));
}
