import type { NewEvent } from '../../store/job-store.ts';
import type { ChangedFile as Changed, FileStatus } from '../git/change.ts';
import type { ChangedFile } from '../text/description.ts';
import { doWork } from './agent-run.ts';
import { findStart } from './base.ts';
import { makeTurnCommit, openPullRequest, pushTurn } from './publishing.ts';
import type { Workshop } from './turn-context.ts';

/**
 * Works off one turn from the phase that an earlier attempt reached. Each phase is recorded before the next begins, so
 * that a kill at any moment costs at most the phase that was under way.
 *
 * @throws JobFailure, LeaseLost, or the reason of the turn's signal
 */
export async function runTurn(shop: Workshop): Promise<void> {
  const { held } = shop;
  if (held.lacks('pinned')) {
    const start = await findStart(shop);
    await held.reach('pinned', start, { base: start.base, branch: start.branch });
  }
  if (held.lacks('committed')) await commitWork(shop);
  if (held.record.commit === undefined) {
    return await complete(shop, { changed: false, message: 'There was nothing to change.' });
  }
  if (held.lacks('pushed')) {
    const tip = await pushTurn(shop);
    await held.reach('pushed', { tip }, { branch: held.record.branch, tip });
  }
  if (held.lacks('opened')) await open(shop);
  await complete(shop, describeEnd(shop));
}

async function commitWork(shop: Workshop): Promise<void> {
  const { held } = shop;
  const { base = '' } = held.record;
  const { summary, change } = await doWork(shop, base);
  if (change.files.length === 0) {
    return await held.reach('committed', { summary }, { changed: false, ignored: change.ignored });
  }
  const files = change.files.map(describeFile);
  const found = await makeTurnCommit(shop, base, { patch: change.patch, summary, files });
  const paths = files.slice(0, 100).map(({ path }) => path);
  await held.reach('committed', found, { commit: found.commit, files: paths, ignored: change.ignored });
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

async function open(shop: Workshop): Promise<void> {
  const { held } = shop;
  const ensured = await openPullRequest(shop, held.record.tip ?? '');
  if (!ensured || ensured.kind === 'nothing') return;
  const { url, number } = ensured.pullRequest;
  await held.reach('opened', { pullRequest: { url, number } }, { pullRequest: url });
}

function describeEnd({ held, destination }: Workshop): NewEvent['data'] {
  const { branch, pullRequest } = held.record;
  if (pullRequest) return { changed: true, message: `The change is in ${pullRequest.url}.` };
  const message = destination.forge
    ? `The branch ${branch} holds nothing that its base lacks, so there is nothing to open.`
    : `The change is on the branch ${branch} of ${destination.repository.url}: look at it there, as no code host is set up for pull requests.`;
  return { changed: true, message };
}

async function complete({ held }: Workshop, data: NewEvent['data']): Promise<void> {
  const prLink = held.record.pullRequest?.url;
  await held.settle({ status: 'completed', prLink }, { type: 'completed', data });
}
