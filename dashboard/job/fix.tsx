import type { JobReply } from '../../shared/jobs/job.ts';
import type { FaultReply } from '../../shared/reports/faults.ts';
import { useAction } from '../api/action.ts';
import { useApi } from '../api/resource.ts';
import { Failure } from '../components/notice.tsx';
import { useMayOpen } from '../router/project-pages.ts';
import { Link } from '../router/router.tsx';
import { t } from '../texts/common.ts';
import { fill } from '../texts/part.ts';

type Fault = Pick<FaultReply, 'id' | 'path' | 'prompt' | 'state'>;

/** A job, and the page that it is for. */
export interface StartedFix {
  path: string;
  id: string;
}

interface FixProps {
  fault: Fault;
  projectId: string;
  onStarted?: (job: StartedFix) => void;
}

/** Starts a job for a fault. Where none can be started, the prompt is kept where jobs are. */
export function Fix({ fault: { id, path, prompt, state }, projectId, onStarted }: FixProps) {
  const { api } = useApi();
  const mayStartJobs = useMayOpen('/jobs');
  const action = useAction(async () => {
    const job = await api.send<JobReply>('POST', `/v1/analytics/${projectId}/worklist/${id}/fix`);
    onStarted?.({ path, id: job.id });
  });
  if (!mayStartJobs || prompt === null || (state !== 'open' && state !== 'no_change')) return null;
  return (
    <>
      <button
        type="button"
        class="small primary"
        disabled={action.isBusy}
        aria-label={fill(t.fixPath, { path })}
        onClick={() => action.run()}
      >
        {t.fix}
      </button>
      {action.failure && (
        <div class="fix-failed">
          <Failure failure={action.failure} />
          <Link href={`/p/${projectId}/jobs?${new URLSearchParams({ prompt })}`}>{t.keepThePrompt}</Link>
        </div>
      )}
    </>
  );
}
