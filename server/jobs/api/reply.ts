import { readRef } from '../../../shared/jobs/git-ref.ts';
import type { JobReply } from '../../../shared/jobs/job.ts';
import { ApiError, tooMany } from '../../errors.ts';
import { keyReused } from '../../http/idempotency-key.ts';
import { type Job, toShown } from '../../store/jobs/job.ts';
import type { Accepted } from '../../store/jobs/requests.ts';
import type { SpendingRefusal } from '../turn/spending.ts';

/** A job as the API shows it. */
export function toReply(job: Job): JobReply {
  return {
    id: job.id,
    status: job.status,
    source: { repository: job.repository, ref: job.baseBranch ?? branchOf(job.ref) },
    model: job.answeredBy ?? job.model,
    prLink: job.status === 'active' ? null : job.prLink,
    createdAt: job.createdAt,
    archivedAt: job.archivedAt,
    branch: job.branch,
    failure: job.failure,
    noChange: job.noChange,
    stopped: job.stopped,
    usage: job.usage && toShown(job.usage),
    startedBy: job.startedBy,
    reverts: job.reverts,
    merged: job.merged,
  };
}

/** As far as the setting itself shows; a tag or a commit is no branch. */
function branchOf(ref: string): string {
  const read = readRef(ref);
  return 'name' in read && read.kind !== 'tag' ? read.name : '';
}

export function noJob(): ApiError {
  return new ApiError('not_found', 'There is no such job in this project: check its id.');
}

/** The job of a request that was accepted, now or before. @throws ApiError for all others */
export function acceptedJob(accepted: Accepted, what: 'jobs' | 'messages', spent: SpendingRefusal): Job {
  switch (accepted.kind) {
    case 'accepted':
    case 'repeated':
      return accepted.job;
    case 'limited':
      throw limited(accepted, what);
    case 'key_reused':
      throw keyReused();
    case 'spent':
      throw new ApiError('invalid', spent ?? '');
    case 'archived':
      throw new ApiError(
        'invalid',
        'The job is archived, so messages can no longer be sent to it: create a new job.',
      );
    case 'not_found':
      throw noJob();
    default:
      return accepted satisfies never;
  }
}

function limited(
  { retryAfterMs, limit, windowMs }: Extract<Accepted, { kind: 'limited' }>,
  what: 'jobs' | 'messages',
): ApiError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return tooMany(
    `A project may have ${limit} ${what} within ${windowMs / 60_000} minutes: send the next one in ${seconds} s.`,
    { name: what, limit, windowMs, retryAfterMs },
  );
}
