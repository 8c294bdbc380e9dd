import { useState } from 'preact/hooks';
import type { EffectReply } from '../../../shared/insights.ts';
import { useResource } from '../../api/resource.ts';
import { Loaded } from '../../components/notice.tsx';
import { useMayOpen } from '../../router/project-pages.ts';
import { Link } from '../../router/router.tsx';
import type { CellValue } from './cell.tsx';
import type { ReportRule } from './report-rule.ts';

interface ActionProps {
  action: NonNullable<ReportRule['action']>;
  row: Record<string, CellValue>;
  base: string;
  projectId: string;
}

/** What can be done about a row. */
export function Action({ action, row, base, projectId }: ActionProps) {
  const mayStartJobs = useMayOpen('/jobs');
  if (action === 'job') {
    if (!mayStartJobs) return null;
    const query = new URLSearchParams({ prompt: String(row.prompt ?? '') });
    return (
      <p class="row-action">
        <Link
          href={`/p/${projectId}/jobs?${query}`}
          class="button small"
          aria-label={`Start a job for ${row.path}`}
        >
          Start a job
        </Link>
      </p>
    );
  }
  return typeof row.id === 'string' && row.kind !== 'note' ? (
    <Effect path={`${base}/changes/${encodeURIComponent(row.id)}/effect`} />
  ) : null;
}

/** Whether a change helped, asked when somebody wants to know. */
function Effect({ path }: { path: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Did it help?</summary>
      {isOpen && <Outcome path={path} />}
    </details>
  );
}

function Outcome({ path }: { path: string }) {
  const effect = useResource<EffectReply>(path);
  return (
    <Loaded resource={effect} lines={1}>
      {({ says }) => <p class="hint">{says}</p>}
    </Loaded>
  );
}
