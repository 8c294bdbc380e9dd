import type { Panel } from '../../../shared/reports/report.ts';
import { useMayOpen } from '../../router/project-pages.ts';
import { Link } from '../../router/router.tsx';
import { t } from '../../texts/declared.ts';
import { fill } from '../../texts/part.ts';
import type { CellValue } from './cell.tsx';
import { Effect } from './effect.tsx';

interface ActionProps {
  action: NonNullable<Panel['action']>;
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
          aria-label={fill(t.startAJobFor, { path: String(row.path) })}
        >
          {t.startAJob}
        </Link>
      </p>
    );
  }
  return typeof row.id === 'string' && row.kind !== 'note' ? (
    <Effect path={`${base}/changes/${encodeURIComponent(row.id)}/effect`} />
  ) : null;
}
