import type { JobReply } from '../../shared/jobs/job.ts';
import { readable } from '../formats/text.ts';
import { t } from '../texts/automations.ts';
import { mix } from '../texts/part.ts';

/** What started a job by itself. */
export function StartedBy({ starter: { kind, name } }: { starter: NonNullable<JobReply['startedBy']> }) {
  return <>{mix(t.startedBy[kind], { name: <bdi>{readable(name)}</bdi> })}</>;
}
