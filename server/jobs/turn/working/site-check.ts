import type { Change, CollectedChange } from '../../git/change.ts';
import type { Workspace } from '../../git/workspace/workspace.ts';
import { runChecks } from '../../site/check/checks.ts';
import { describeFinding } from '../../site/check/finding.ts';
import { openTree, type TreeFiles } from '../../site/tree-files.ts';
import type { TurnContext } from '../turn-context.ts';

export interface CheckedSite {
  /** What the change broke, in sentences. */
  findings: readonly string[];
  /** What kept the checks from looking at everything. */
  unfinished: string | undefined;
}

export type SiteCheck = (change: CollectedChange) => Promise<CheckedSite>;

/**
 * Checks what a turn made of its workspace; what was checked already is not checked again.
 *
 * @param before the commit that the workspace began with @param scope the folder that is searched; '' is all
 */
export function createSiteCheck(
  context: TurnContext,
  workspace: Workspace,
  before: TreeFiles,
  scope: string,
): SiteCheck {
  const within = (files: TreeFiles): TreeFiles => ({ ...files, find: (texts) => files.find(texts, scope) });
  let last: { tree: string; checked: CheckedSite } | undefined;
  return async ({ files, tree }) => {
    if (last?.tree === tree) return last.checked;
    const checked = await run(context, files, async () => ({
      before: within(before),
      after: within(await openTree(workspace, tree, context.lease.signal)),
    }));
    last = { tree, checked };
    return checked;
  };
}

async function run(
  { lease, project, services }: TurnContext,
  files: Change['files'],
  open: () => Promise<Record<'before' | 'after', TreeFiles>>,
): Promise<CheckedSite> {
  if (files.length === 0) return { findings: [], unfinished: undefined };
  const sides = await open();
  const changes = files.map(({ path, from, status }) => ({ path, from, status }));
  const paths = { before: sides.before.paths, after: sides.after.paths };
  const task = { docsFolder: project.settings.docsFolder, paths, changes };
  const bounds = { timeMs: services.agentLimits.checkMs, signal: lease.signal };
  const { findings, unfinished } = await runChecks(task, sides, bounds);
  return { findings: findings.map(describeFinding), unfinished };
}
