import { hash } from 'node:crypto';
import { auditing, theServer } from '../../../audit/audit-list.ts';
import { Calendar } from '../../../counting/calendar.ts';
import type { LiveProject } from '../../../projects/registry.ts';
import type { Annotation } from '../../../store/annotations.ts';
import type { CommentState } from '../../../store/jobs/job-comment.ts';
import { JobFailure } from '../../failure.ts';
import type { Merge } from '../../forge/forge.ts';
import { numberInLink } from '../../forge/pull-link.ts';
import type { JobServices } from '../services.ts';
import type { TurnContext } from '../turn-context.ts';

const maxText = 200;
const maxFiles = 300;

const keyOf = (url: string) => `merge:${numberInLink(url)}`;

/** Whether an annotation was left for a pull request of a job: one that somebody has removed does not come back. */
export function isAnnotated(known: Readonly<Record<string, CommentState>>, url: string): boolean {
  return known[keyOf(url)] !== undefined;
}

/** @returns whether it was merged */
export async function annotateMerge(
  { store, now }: Pick<JobServices, 'store' | 'now'>,
  { id: projectId, settings }: LiveProject,
  { jobId, url, merge }: { jobId: string; url: string; merge: Merge },
): Promise<boolean> {
  if (merge.state !== 'merged' || merge.mergedAt === null) return false;
  const mergedAt = Date.parse(merge.mergedAt);
  const annotation: Annotation = {
    projectId,
    id: `merge_${hash('sha256', url).slice(0, 24)}`,
    day: new Calendar(settings.timeZone).dayOf(Number.isNaN(mergedAt) ? now() : mergedAt),
    kind: 'merge',
    text: readable(merge.title),
    affected: merge.files.slice(0, maxFiles).filter((file) => file.length <= 1000),
    url,
    createdAt: now(),
  };
  const { entries } = auditing(theServer, now);
  const noted = entries({
    action: 'annotation.added',
    projectId,
    subject: annotation.text,
    changes: ['kind: merge'],
  });
  await store.callAudited('annotations', 'addAnnotation', [annotation], noted);
  await store.jobs.noteComment(projectId, jobId, keyOf(url), 'answered');
  return true;
}

/**
 * Annotates the pull request that a turn leaves for a new one, as it was merged or closed: from then on nobody looks at it.
 * One that is closed, opened again and merged after that has no annotation.
 */
export async function annotateLeftMerge(
  { services, project, target, lease }: TurnContext,
  newUrl: string,
): Promise<void> {
  const { id: jobId, projectId, prLink: url } = lease.job;
  const number = numberInLink(url);
  if (url === null || url === newUrl || number === undefined) return;
  if (isAnnotated(await services.store.jobs.readComments(projectId, jobId), url)) return;
  try {
    const { forge } = target;
    const pull = await forge?.findPullRequest(number, lease.signal);
    if (!forge || !pull) return;
    await annotateMerge(services, project, { jobId, url, merge: await forge.readMerge(pull, lease.signal) });
  } catch (error) {
    // The turn does not fail for what it leaves behind.
    if (!(error instanceof JobFailure) || error.passing) throw error;
  }
}

/** A title is anybody's text: one line, and not too long. */
function readable(title: string): string {
  const line = title
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
  return Array.from(line).slice(0, maxText).join('') || 'A pull request';
}
