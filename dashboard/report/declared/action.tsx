import type { Panel } from '../../../shared/reports/report.ts';
import type { CellValue } from './cell.tsx';
import { Effect } from './effect.tsx';

interface ActionProps {
  action: NonNullable<Panel['action']>;
  row: Record<string, CellValue>;
  base: string;
}

/** What can be done about a row. */
export function Action({ action, row, base }: ActionProps) {
  return action === 'effect' && typeof row.id === 'string' && row.kind !== 'note' ? (
    <Effect path={`${base}/changes/${encodeURIComponent(row.id)}/effect`} />
  ) : null;
}
