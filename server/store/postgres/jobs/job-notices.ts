import type { JobNews } from '../../jobs/job-store.ts';

const kinds: readonly string[] = ['queued', 'written', 'ended', 'archived'] satisfies JobNews['kind'][];

/** The beginning of a notice; the job's id follows. */
export function noticeOf(kind: JobNews['kind']): string {
  return `job:${kind}:`;
}

/** Undefined: it is about something else. */
export function parseNotice(notice: string): JobNews | undefined {
  const [word, kind = '', jobId] = notice.split(':');
  if (word !== 'job' || jobId === undefined || !kinds.includes(kind)) return undefined;
  return { kind: kind as JobNews['kind'], jobId };
}
