import type { ChapterFile } from '../../store/jobs/job.ts';
import type { ListedChange } from '../git/listing.ts';

const words = {
  added: 'added',
  modified: 'edited',
  typechanged: 'edited',
  deleted: 'deleted',
  renamed: 'moved',
} as const satisfies Record<ListedChange['status'], ChapterFile['change']>;

export function toListed({
  path,
  from,
  status,
  additions,
  deletions,
}: Pick<ListedChange, 'path' | 'from' | 'status' | 'additions' | 'deletions'>): ChapterFile {
  const lines = additions === undefined ? undefined : additions + (deletions ?? 0);
  const more = { ...(from !== undefined && { from }), ...(lines !== undefined && { lines }) };
  return { path, change: words[status], ...more };
}
