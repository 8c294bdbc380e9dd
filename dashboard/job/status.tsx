import type { JobReply } from '../../shared/jobs/job.ts';
import { Icon } from '../components/icon.tsx';
import { safeLink } from '../formats/text.ts';
import { t } from '../texts/common.ts';

const marks = { active: '●', completed: '✓', stopped: '■', failed: '✕', archived: '–' };

export function StatusBadge({ job }: { job: Pick<JobReply, 'status' | 'stopped'> }) {
  const status = job.stopped ? 'stopped' : job.status;
  return (
    <span class={`status status-${status}`}>
      <span aria-hidden="true">{marks[status]}</span> {t.statuses[status]}
    </span>
  );
}

export function PullRequest({ job }: { job: Pick<JobReply, 'prLink'> }) {
  const href = safeLink(job.prLink);
  if (href === undefined) return null;
  return (
    <a class="button small" href={href} target="_blank" rel="noreferrer">
      {t.pullRequest} <Icon name="away" />
      <span class="unseen">{t.opensInANewTab}</span>
    </a>
  );
}
