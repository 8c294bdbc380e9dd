import type { NewEvent } from '../../store/job-store.ts';
import type { ChangedFile as Changed, FileStatus } from '../git/change.ts';
import type { ChangedFile } from '../text/description.ts';
import { letAgentWork } from './agent-run.ts';
import { findStart } from './base.ts';
import { makeTurnCommit, openPullRequest, pushTurn } from './publishing.ts';
import type { TurnContext } from './turn-context.ts';

/**
 * Works off one turn from the phase that an earlier attempt reached. Each phase is recorded before the next begins, so
 * that a kill at any moment costs at most the phase that was under way.
 *
 * @throws JobFailure, LeaseLost, or the reason of the turn's signal
 */
export async function runTurn(context: TurnContext): Promise<void> {
  const { lease } = context;
  if (lease.lacks('pinned')) {
    const start = await findStart(context);
    await lease.reach('pinned', start, { base: start.base, branch: start.branch });
  }
  if (lease.lacks('committed')) await commitChange(context);
  if (lease.record.commit === undefined) {
    return await complete(context, { changed: false, message: 'There was nothing to change.' });
  }
  if (lease.lacks('pushed')) {
    const tip = await pushTurn(context);
    await lease.reach('pushed', { tip }, { branch: lease.record.branch, tip });
  }
  if (lease.lacks('opened')) await open(context);
  await complete(context, describeEnd(context));
}

async function commitChange(context: TurnContext): Promise<void> {
  const { lease } = context;
  const { base = '' } = lease.record;
  const { summary, change } = await letAgentWork(context, base);
  if (change.files.length === 0) {
    return await lease.reach('committed', { summary }, { changed: false, ignored: change.ignored });
  }
  const files = change.files.map(describeFile);
  const found = await makeTurnCommit(context, base, { patch: change.patch, summary, files });
  const paths = files.slice(0, 100).map(({ path }) => path);
  await lease.reach('committed', found, { commit: found.commit, files: paths, ignored: change.ignored });
}

const words = {
  added: 'added',
  modified: 'edited',
  typechanged: 'edited',
  deleted: 'deleted',
  renamed: 'moved',
} as const satisfies Record<FileStatus, ChangedFile['change']>;

function describeFile({ path, status }: Changed): ChangedFile {
  return { path, change: words[status] };
}

async function open(context: TurnContext): Promise<void> {
  const { lease } = context;
  const ensured = await openPullRequest(context, lease.record.tip ?? '');
  if (!ensured || ensured.kind === 'nothing') return;
  const { url, number } = ensured.pullRequest;
  await lease.reach('opened', { pullRequest: { url, number } }, { pullRequest: url });
}

function describeEnd({ lease, target }: TurnContext): NewEvent['data'] {
  const { branch, pullRequest } = lease.record;
  if (pullRequest) return { changed: true, message: `The change is in ${pullRequest.url}.` };
  const message = target.forge
    ? `The branch ${branch} holds nothing that its base lacks, so there is nothing to open.`
    : `The change is on the branch ${branch} of ${target.repository.url}: look at it there, as no code host is set up for pull requests.`;
  return { changed: true, message };
}

async function complete({ lease }: TurnContext, data: NewEvent['data']): Promise<void> {
  const prLink = lease.record.pullRequest?.url;
  await lease.settle({ status: 'completed', prLink }, { type: 'completed', data });
}
