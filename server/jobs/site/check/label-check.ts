import { lineAt } from '../markdown.ts';
import { isPage, join } from '../site.ts';
import type { SiteState } from '../site-state.ts';
import { type Checked, oldPathOf } from './checked.ts';
import { quoted } from './finding.ts';

/** Of one change, that are looked for; and pages with labels, of a site that is no larger than that. */
const maxLabels = 100;
const maxPages = 1_000;
/** Those that Sphinx makes: https://www.sphinx-doc.org/en/master/usage/referencing.html#role-ref */
const made = ['genindex', 'modindex', 'py-modindex', 'search'];

/** References of Sphinx to labels that no page has since the change: of changed pages, and of others to what these had. */
export async function findBrokenLabels(checked: Checked): Promise<void> {
  const { after, report } = checked;
  const { framework, folder } = after.site;
  const settings = framework === 'Sphinx' ? await after.read(join(folder, 'conf.py')) : undefined;
  // Titles are labels then.
  if (settings === undefined || settings.includes('autosectionlabel')) return;
  const found = await findSuspects(checked, settings.includes('intersphinx'));
  const missing = await findMissing(after, new Set(found.map(({ label }) => label)));
  for (const { label, path, line } of found.filter((one) => missing.has(one.label))) {
    report({ path, line, problem: `the reference to ${quoted(label)} names a label that no page has.` });
  }
}

interface Reference {
  label: string;
  line: number;
}

/** References that are new, and those to labels that a changed page has lost. */
async function findSuspects(
  { changes: all, before, after }: Checked,
  /** A link to another site looks the same as one that leads nowhere. */
  knowsOtherSites: boolean,
): Promise<(Reference & { path: string })[]> {
  const changes = all.filter((change) => isPage(oldPathOf(change)));
  const lost = await findLost(before, after, changes);
  const pages = new Map(changes.map((change) => [change.path, oldPathOf(change)]));
  const others = lost.size === 0 ? [] : await after.find([...lost].flat());
  for (const path of others.filter(isPage).slice(0, maxPages)) pages.set(path, pages.get(path) ?? path);
  const found: (Reference & { path: string })[] = [];
  for (const [path, old] of pages) {
    const [text = '', was = ''] = await Promise.all([after.read(path), before.read(old)]);
    const known = new Set(readReferences(was).map(({ label }) => label));
    const isNew = ({ label }: Reference) => !known.has(label) && !knowsOtherSites;
    const suspects = readReferences(text).filter((one) => lost.has(one.label) || isNew(one));
    found.push(...suspects.map((one) => ({ ...one, path })));
  }
  return found;
}

/** As they are compared, with how they were written. */
async function findLost(
  before: SiteState,
  after: SiteState,
  changes: Checked['changes'],
): Promise<ReadonlyMap<string, string>> {
  const lost: [string, string][] = [];
  for (const change of changes) {
    const [was = '', is = ''] = await Promise.all([before.read(oldPathOf(change)), after.read(change.path)]);
    const kept = readLabels(is);
    lost.push(...[...readLabels(was)].filter(([label]) => !kept.has(label)));
  }
  return new Map(lost.slice(0, maxLabels));
}

/** Those that no page has; none where the site is too large to know. */
async function findMissing(state: SiteState, labels: ReadonlySet<string>): Promise<Set<string>> {
  const missing = new Set([...labels].slice(0, maxLabels));
  for (const label of made) missing.delete(label);
  if (missing.size === 0) return missing;
  const pages = (await state.find(['.. _', ')='])).filter(isPage);
  if (pages.length > maxPages) return new Set();
  state.bring(pages);
  for (const page of pages)
    for (const label of readLabels((await state.read(page)) ?? '').keys()) missing.delete(label);
  return missing;
}

/** Of reStructuredText, and of MyST: as they are compared, with how they are written. */
function readLabels(text: string): Map<string, string> {
  const labels = /^[ \t]*(?:\.\. _(?:`([^`\n]{1,300})`|([^:`\n]{1,300})):|\(([^()\n]{1,300})\)=)[ \t]*\r?$/gm;
  return new Map(
    Array.from(text.matchAll(labels), ([, quotedName, plain, myst]) => {
      const label = quotedName ?? plain ?? myst ?? '';
      return [spelled(label), label];
    }),
  );
}

/** Of another project's pages they have its name before a colon. */
function readReferences(text: string): Reference[] {
  const roles = /(?::ref:|\{ref\})`(?:[^`<\n]{0,500}<([^`>:\n]{1,300})>|([^`<:\n]{1,300}))`/g;
  return Array.from(text.matchAll(roles), ({ 1: pointed, 2: plain, index }) => ({
    label: spelled(pointed ?? plain ?? ''),
    line: lineAt(text, index),
  }));
}

/** Letters and spaces of any kind are the same in labels. */
function spelled(label: string): string {
  return label.trim().replace(/\s+/g, ' ').toLowerCase();
}
