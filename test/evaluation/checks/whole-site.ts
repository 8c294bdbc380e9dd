import type { Checked } from '../../../server/jobs/site/check/checked.ts';
import { describeFinding } from '../../../server/jobs/site/check/finding.ts';
import { detectSite } from '../../../server/jobs/site/site.ts';
import { SiteState } from '../../../server/jobs/site/site-state.ts';
import { type Files, searched } from '../site-files.ts';
import type { Outcome } from '../task.ts';

async function stateOf(files: Files): Promise<SiteState> {
  const side = searched(files);
  return new SiteState(await detectSite(side), side);
}

/** A look at everything that was delivered, as if all of it were new: nothing is excused by what was there before. */
export async function lookAtAll({ after }: Outcome, look: (checked: Checked) => Promise<void>) {
  const changes = Array.from(after.keys(), (path) => ({ path, from: undefined, status: 'added' as const }));
  return await collect({ changes, before: await stateOf(new Map()), after: await stateOf(after) }, look);
}

/** A look at the change alone. */
export async function lookAtChange(
  { before, after, changes }: Outcome,
  look: (checked: Checked) => Promise<void>,
): Promise<string[]> {
  return await collect({ changes, before: await stateOf(before), after: await stateOf(after) }, look);
}

async function collect(
  sides: Omit<Checked, 'report'>,
  look: (checked: Checked) => Promise<void>,
): Promise<string[]> {
  const problems: string[] = [];
  await look({ ...sides, report: (finding) => void problems.push(describeFinding(finding)) });
  return problems;
}
