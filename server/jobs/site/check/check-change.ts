import { detectSite } from '../site.ts';
import { type SearchedFiles, SiteState } from '../site-state.ts';
import { type Checked, oldPathOf } from './checked.ts';
import { findBrokenLabels } from './label-check.ts';
import { findBrokenLinks } from './link-check.ts';
import { findNavigationFaults } from './navigation-check.ts';
import { findFlaws } from './syntax.ts';
import type { CheckTask, Side } from './task.ts';

/** Tells what a change broke, and nothing of what was broken before. */
export async function checkChange(
  { changes, docsFolder }: CheckTask,
  files: Readonly<Record<Side, SearchedFiles>>,
  tell: Checked['tell'],
): Promise<void> {
  files.before.bring(changes.map(oldPathOf));
  files.after.bring(changes.map(({ path }) => path));
  const [before, after] = await Promise.all(
    [files.before, files.after].map(async (side) => new SiteState(await detectSite(side, docsFolder), side)),
  );
  if (!before || !after) return;
  const checked = { changes, before, after, tell };
  await findNewFlaws(checked);
  await findNavigationFaults(checked);
  await findBrokenLinks(checked);
  await findBrokenLabels(checked);
}

async function findNewFlaws({ changes, before, after, tell }: Checked): Promise<void> {
  for (const change of changes) {
    const text = await after.read(change.path);
    if (text === undefined) continue;
    const flaws = await findFlaws(after.site, change.path, text);
    if (flaws.length === 0) continue;
    const old = await before.read(oldPathOf(change));
    const known = old === undefined ? [] : await findFlaws(before.site, oldPathOf(change), old);
    for (const { kind, of, line, problem } of flaws) {
      if (!known.some((flaw) => flaw.kind === kind && flaw.of === of))
        tell({ path: change.path, line, problem });
    }
  }
}
