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

/** Checks what a turn made of its workspace; what was checked already is not checked again. */
export class SiteCheck {
  readonly #context: TurnContext;
  readonly #workspace: Workspace;
  readonly #before: TreeFiles;
  readonly #scope: string;
  #last: { tree: string; checked: CheckedSite } | undefined;

  /** @param before the commit that the workspace began with @param scope the folder that is searched; '' is all */
  constructor(context: TurnContext, workspace: Workspace, before: TreeFiles, scope: string) {
    this.#context = context;
    this.#workspace = workspace;
    this.#before = before;
    this.#scope = scope;
  }

  async check(change: CollectedChange): Promise<CheckedSite> {
    if (this.#last?.tree !== change.tree) {
      this.#last = { tree: change.tree, checked: await this.#run(change) };
    }
    return this.#last.checked;
  }

  #within(files: TreeFiles): TreeFiles {
    return { ...files, find: (texts) => files.find(texts, this.#scope) };
  }

  async #run({ files, tree }: Change): Promise<CheckedSite> {
    if (files.length === 0) return { findings: [], unfinished: undefined };
    const { lease, project, services } = this.#context;
    const after = await openTree(this.#workspace, tree, lease.signal);
    const sides = { before: this.#within(this.#before), after: this.#within(after) };
    const changes = files.map(({ path, from, status }) => ({ path, from, status }));
    const paths = { before: sides.before.paths, after: sides.after.paths };
    const task = { docsFolder: project.settings.docsFolder, paths, changes };
    const bounds = { timeMs: services.agentLimits.checkMs, signal: lease.signal };
    const { findings, unfinished } = await runChecks(task, sides, bounds);
    return { findings: findings.map(describeFinding), unfinished };
  }
}
