import { newestJobs } from '../../../store/jobs/jobs.ts';
import { JobFailure } from '../../failure.ts';
import type { Forge, Merge } from '../../forge/forge.ts';
import { numberInLink } from '../../forge/pull-link.ts';
import type { Look } from '../../git/access.ts';
import type { Change, ChangeLimits } from '../../git/change.ts';
import { reapplyChange } from '../../git/commit.ts';
import { isAncestor } from '../../git/history.ts';
import { listChanges } from '../../git/listing.ts';
import { bind, listPaths, readPatchOf } from '../../git/merge.ts';
import type { TurnContext } from '../turn-context.ts';
import { changeLimits, type Work } from './agent-run.ts';

const maxNamed = 20;

/** Takes back a merged pull request: git works it out, and no agent is asked. @throws JobFailure */
export async function takeBack(context: TurnContext, url: string): Promise<Work> {
  const { target, lease } = context;
  const { forge } = target;
  if (!forge) {
    throw new JobFailure('bad_forge', 'Only a code host knows how it was merged: revert it with git.');
  }
  const open = await findOpen(context, forge, url);
  if (open !== undefined) return toWork(`It is proposed already, in ${open}.`, noChange);
  const { title, commit } = await findMerged(context, forge, url);
  const change = await revert(context, forge, { url, commit });
  if (change.files.length === 0) {
    return toWork(`Nothing of ${url} is left in ${lease.record.baseBranch}.`, change);
  }
  return toWork(`Revert "${title}"\n\nThis takes back ${url}, and leaves what came after it.`, change);
}

const noChange: Change = { files: [], patch: Buffer.alloc(0), bytes: 0, tree: '' };

function toWork(summary: string, change: Change): Work {
  return {
    ...{ summary, pullTitle: undefined, change: { ...change, ignored: [] }, unfinished: undefined },
    ...{ checked: { findings: [], unfinished: undefined }, bringsTogether: false, repeats: [], untrue: [] },
  };
}

/** Of this job, or of one that was archived since: there are never two. */
async function findOpen(
  { services, lease }: TurnContext,
  forge: Forge,
  url: string,
): Promise<string | undefined> {
  const { pullRequest, expectedTip } = lease.record;
  if (expectedTip !== null && pullRequest) return pullRequest.url;
  const { projectId, id } = lease.job;
  const query = { projectId, ...newestJobs };
  const { jobs } = await services.store.jobs.listJobs(query);
  for (const job of jobs.filter((other) => other.reverts === url && other.id !== id)) {
    const number = numberInLink(job.prLink);
    const found = number && (await forge.findPullRequest(number, lease.signal));
    if (found && found.state === 'open') return found.url;
  }
  return undefined;
}

/** @throws JobFailure where it was not merged */
async function findMerged(
  { lease }: TurnContext,
  forge: Forge,
  url: string,
): Promise<Merge & { commit: string }> {
  const number = numberInLink(url) ?? 0;
  const pull = await forge.findPullRequest(number, lease.signal);
  if (pull?.url !== url) {
    throw new JobFailure(
      'not_found',
      `There is no pull request ${url} in the repository of the project any more.`,
    );
  }
  const merge = await forge.readMerge(pull, lease.signal);
  if (merge.state !== 'merged') {
    throw new JobFailure(
      'not_merged',
      `${url} was not merged, so that nothing has to be taken back: close it there.`,
    );
  }
  if (merge.commit === null) {
    throw new JobFailure(
      'bad_forge',
      `The code host does not say with which commit ${url} was merged: revert it with git.`,
    );
  }
  return { ...merge, commit: merge.commit };
}

/** @throws JobFailure where git cannot do it by itself, or a job may not */
async function revert(
  { target, lease, gitClient, project }: TurnContext,
  forge: Forge,
  { url, commit }: { url: string; commit: string },
): Promise<Change> {
  const { base = '', baseBranch } = lease.record;
  const messages = await forge.listMessages(numberInLink(url) ?? 0, lease.signal);
  const limits = changeLimits(project);
  const reverted = await gitClient.look(await target.access(), base, (call) =>
    revertMerged(call, base, { commit, messages }, limits),
  );
  switch (reverted.kind) {
    case 'applied':
      return reverted.change;
    case 'missing':
      throw new JobFailure(
        'missing_base',
        `The commit ${commit} of ${url} is not in ${baseBranch}: revert it with git.`,
      );
    case 'conflict':
      throw new JobFailure(
        'conflict',
        `What ${url} changed in ${list(reverted.paths)} was changed again since, so that git cannot take it back by itself: send this job a message, such as "Take back what ${commit.slice(0, 10)} changed, and keep what came after it", and the agent does so.`,
      );
    default:
      return reverted satisfies never;
  }
}

function list(paths: readonly string[]): string {
  const named = paths.slice(0, maxNamed).join(', ');
  return paths.length > maxNamed ? `${named} and ${paths.length - maxNamed} more` : named;
}

/** A pull request as it came into its base. */
interface MergedCommit {
  commit: string;
  /** Of the commits that it had, in any order. */
  messages: readonly string[];
}

type RevertedMerge =
  | { kind: 'applied'; change: Change }
  | { kind: 'conflict'; paths: string[] }
  /** It is not in the history of the base. */
  | { kind: 'missing' };

/** What takes a merged pull request back on top of what came after it. */
async function revertMerged(
  call: Look,
  onto: string,
  merged: MergedCommit,
  limits: ChangeLimits,
): Promise<RevertedMerge> {
  const { commit } = merged;
  if (!(await isAncestor(call, commit, onto))) return { kind: 'missing' };
  const before = await findBefore(call, merged);
  if (before === undefined) return { kind: 'missing' };
  const [touched, differing] = await Promise.all([
    listPaths(call, commit, before),
    listChanges(bind(call), onto, before, call.signal),
  ]);
  // What is as it was before already, somebody else has taken back.
  const different = new Set(differing.flatMap(({ path, from }) => [path, from]));
  const paths = touched.filter((path) => different.has(path));
  const patch = paths.length === 0 ? Buffer.alloc(0) : await readPatchOf(call, commit, before, paths);
  // What stood there before, and what stands there now, was put there by others: code in it is not new.
  const conflicts = differing.map(({ path, from = path, before: ours, after: theirs }) => {
    return { path: from, ours, theirs };
  });
  return await reapplyChange(call, { patch, onto, limits: { ...limits, conflicts } });
}

/** The base as it was before. Undefined where it has no commit before. */
async function findBefore(call: Look, { commit, messages }: MergedCommit): Promise<string | undefined> {
  const [own, ...earlier] = await readLine(call, commit, messages.length + 1);
  // Of a merge the first parent is the base.
  if (own === undefined || own.parents.length !== 1) return own?.parents[0];
  const line = [own, ...earlier].slice(0, messages.length);
  const first = isRebased(line, messages) ? line.at(-1) : own;
  return first?.parents[0];
}

/** Whether the newest commits of the base are those of the pull request one by one, and not all of them as one. */
function isRebased(line: readonly LineCommit[], messages: readonly string[]): boolean {
  const found = line.map(({ message }) => message).toSorted();
  const own = messages.map((message) => message.trim()).toSorted();
  return own.length > 1 && found.length === own.length && found.every((message, i) => message === own[i]);
}

interface LineCommit {
  parents: string[];
  message: string;
}

/** A commit and those before it on its branch, the newest first. */
async function readLine({ git, mirror, signal }: Look, commit: string, count: number): Promise<LineCommit[]> {
  const { stdout } = await git({
    args: [
      ...['log', '-z', '--first-parent', `--max-count=${count}`, '--no-show-signature'],
      ...['--format=%P%x01%B', commit, '--'],
    ],
    environment: { GIT_DIR: mirror.gitDir },
    signal,
  });
  const records = stdout.toString().split('\0');
  return records.flatMap((record) => {
    const [parents, message] = record.split('\u0001');
    if (parents === undefined || message === undefined) return [];
    return [{ parents: parents.split(' ').filter(Boolean), message: message.trim() }];
  });
}
