import type { Change, CollectedChange } from '../git/change.ts';
import type { Workspace } from '../git/workspace.ts';
import { runChecks } from '../site/check/checks.ts';
import { openTrees } from '../site/check/commit-sources.ts';
import { describeFinding } from '../site/check/finding.ts';
import type { TurnContext } from './turn-context.ts';

export interface CheckedSite {
  /** What the change broke, in sentences. */
  findings: readonly string[];
  /** What kept the checks from looking at everything. */
  unfinished: string | undefined;
}

/** Checks what a turn made of its workspace; what was checked already is not checked again. */
export class SiteCheck {
  readonly #context: TurnContext;
  readonly #workspace: Workspace;
  #last: { tree: string; checked: CheckedSite } | undefined;

  constructor(context: TurnContext, workspace: Workspace) {
    this.#context = context;
    this.#workspace = workspace;
  }

  async check(change: CollectedChange): Promise<CheckedSite> {
    if (this.#last?.tree !== change.tree) {
      this.#last = { tree: change.tree, checked: await this.#run(change) };
    }
    return this.#last.checked;
  }

  async #run({ files, tree }: Change): Promise<CheckedSite> {
    if (files.length === 0) return { findings: [], unfinished: undefined };
    const { lease, project, services } = this.#context;
    const { paths, sources } = await openTrees(this.#workspace, tree, lease.signal);
    const changes = files.map(({ path, from, status }) => ({ path, from, status }));
    const task = { docsFolder: project.settings.docsFolder, paths, changes };
    const bounds = { timeMs: services.agentLimits.checkMs, signal: lease.signal };
    const { findings, unfinished } = await runChecks(task, sources, bounds);
    return { findings: findings.map(describeFinding), unfinished };
  }
}
