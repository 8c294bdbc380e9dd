import type { JobReply } from '../../shared/jobs/job.ts';
import { Icon } from '../components/icon.tsx';
import { readable, safeLink } from '../formats/text.ts';
import { t as texts } from '../texts/automations.ts';
import { t } from '../texts/jobs.ts';
import { mix } from '../texts/part.ts';

const marks: Record<JobReply['status'], string> = { active: '●', completed: '✓', failed: '✕', archived: '–' };

export function StatusBadge({ status }: { status: JobReply['status'] }) {
  return (
    <span class={`status status-${status}`}>
      <span aria-hidden="true">{marks[status]}</span> {t.statuses[status]}
    </span>
  );
}

/** What started a job by itself. */
export function StartedBy({ starter: { kind, name } }: { starter: NonNullable<JobReply['startedBy']> }) {
  return <>{mix(texts.startedBy[kind], { name: <bdi>{readable(name)}</bdi> })}</>;
}

export function PullRequest({ job }: { job: JobReply }) {
  const href = safeLink(job.prLink);
  if (href === undefined) return null;
  return (
    <a class="button small" href={href} target="_blank" rel="noreferrer">
      {t.pullRequest} <Icon name="away" />
      <span class="unseen">{t.opensInANewTab}</span>
    </a>
  );
}
