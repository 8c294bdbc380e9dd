import { readAnchors } from '../anchors.ts';
import { type Link, readLinks, splitTarget } from '../links.ts';
import { lineAt } from '../markdown.ts';
import { lastName, wordsInLinks } from '../routes.ts';
import { detectSite, isPage } from '../site.ts';
import { type SearchedFiles, SiteState } from '../site-state.ts';
import { type Checked, oldPathOf } from './checked.ts';
import { quoted } from './finding.ts';
import { findBrokenLabels } from './label-check.ts';
import { findNavigationFaults } from './navigation-check.ts';
import { findFlaws } from './syntax.ts';
import type { CheckTask, Side } from './task.ts';

/** Reports what a change broke, and nothing that was broken before. */
export async function checkChange(
  { changes, docsFolder }: CheckTask,
  files: Readonly<Record<Side, SearchedFiles>>,
  report: Checked['report'],
): Promise<void> {
  files.before.bring(changes.map(oldPathOf));
  files.after.bring(changes.map(({ path }) => path));
  const [before, after] = await Promise.all(
    [files.before, files.after].map(async (side) => new SiteState(await detectSite(side, docsFolder), side)),
  );
  if (!before || !after) return;
  const checked = { changes, before, after, report };
  await findNewFlaws(checked);
  await findNavigationFaults(checked);
  await findBrokenLinks(checked);
  await findBrokenLabels(checked);
}

async function findNewFlaws({ changes, before, after, report }: Checked): Promise<void> {
  for (const change of changes) {
    const text = await after.read(change.path);
    if (text === undefined) continue;
    const flaws = await findFlaws(after.site, change.path, text);
    if (flaws.length === 0) continue;
    const old = await before.read(oldPathOf(change));
    const known = old === undefined ? [] : await findFlaws(before.site, oldPathOf(change), old);
    for (const { kind, of, line, problem } of flaws) {
      if (!known.some((flaw) => flaw.kind === kind && flaw.of === of))
        report({ path: change.path, line, problem });
    }
  }
}

/** Texts that are searched for at once, and pages that are looked through for links to what is gone. */
const maxTexts = 100;
const maxPages = 1_000;

/** Links, anchors and images that lead nowhere since the change: of changed pages, and of others to what they had. */
export async function findBrokenLinks(checked: Checked): Promise<void> {
  const { changes, after } = checked;
  const changed = new Map(changes.map((change) => [change.path, oldPathOf(change)]));
  for (const [path, old] of changed) await checkPage(checked, path, old);
  const gone = await goneTexts(checked);
  if (gone.length === 0) return;
  const pages = (await after.find(gone))
    .filter((path) => isPage(path) && !changed.has(path))
    .slice(0, maxPages);
  after.bring(pages);
  for (const path of pages) await checkPage(checked, path, path);
}

/** Words that links to what is no longer there have in them. */
async function goneTexts(checked: Checked): Promise<string[]> {
  const { changes, before, after } = checked;
  const gone = changes.map(oldPathOf).filter((path) => !after.paths.has(path));
  const words = gone.flatMap((path) => wordsInLinks(before.site, path));
  const own = await Promise.all(gone.filter(isPage).map((path) => before.read(path)));
  words.push(...own.map((text) => lastName(ownAddress(text ?? '') ?? '')));
  const others = await Promise.all(
    changes.map((change) => goneNames(checked, oldPathOf(change), change.path)),
  );
  const texts = [...words, ...others.flat()].filter((text) => text.length > 1);
  return [...new Set(texts)].slice(0, maxTexts);
}

/** A page that lost headings, or its own address, is linked to by its name all the same. */
async function goneNames({ before, after }: Checked, old: string, path: string): Promise<string[]> {
  const [was, is] = await Promise.all([before.read(old), after.read(path)]);
  if (was === undefined || is === undefined || !isPage(path)) return [];
  const kept = readAnchors(path, is);
  const names = [...readAnchors(old, was)].every((anchor) => kept.has(anchor)) ? [] : [lastName(old)];
  const address = ownAddress(was);
  return address === undefined || address === ownAddress(is) ? names : [...names, lastName(address)];
}

/** Where a page says of itself that it is. */
function ownAddress(text: string): string | undefined {
  return /^(?:slug|permalink|url)[ \t]*[:=][ \t]*["']?([^"'\s]{1,300})/m.exec(text.slice(0, 4_000))?.[1];
}

async function checkPage({ before, after, report }: Checked, path: string, old: string): Promise<void> {
  const text = isPage(path) ? await after.read(path) : undefined;
  if (text === undefined) return;
  const known = before.paths.has(old) ? targetsOf(old, (await before.read(old)) ?? '') : new Set<string>();
  const reported = new Set<string>();
  for (const link of readLinks(path, text)) {
    if (reported.has(link.target)) continue;
    const problem = await findFault(after, path, link);
    if (problem === undefined) continue;
    if (known.has(link.target) && (await findFault(before, old, link)) !== undefined) continue;
    reported.add(link.target);
    report({ path, line: lineAt(text, link.start), problem });
  }
}

function targetsOf(path: string, text: string): Set<string> {
  return new Set(readLinks(path, text).map(({ target }) => target));
}

/** What is wrong with a link, as a sentence; undefined: it leads somewhere, or that is not known. */
async function findFault(
  state: SiteState,
  from: string,
  { kind, target }: Link,
): Promise<string | undefined> {
  const found = await state.resolve(from, target);
  if (found === 'nothing') {
    const what = kind === 'image' ? 'the image' : 'the link to';
    return `${what} ${quoted(target)} leads to ${kind === 'image' ? 'no file' : 'no page or file'} of the site.`;
  }
  if (typeof found === 'string') return undefined;
  const { fragment } = splitTarget(target);
  if (fragment === undefined || (await state.hasFragment(found.path, fragment))) return undefined;
  return `the link to ${quoted(target)} names a heading that ${found.path} does not have.`;
}
