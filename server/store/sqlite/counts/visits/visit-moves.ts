import type { Connection } from '../../connection.ts';
import { bytesOfViews, unpackViews } from './packed-views.ts';

interface ViewsRow {
  day: number;
  number: number;
  views: Buffer;
}

/** Views of open days, after paths were moved to others. @param targets by name; null: none */
export function moveVisits(
  db: Connection,
  project: number,
  targets: ReadonlyMap<number, number | null>,
): void {
  if (targets.size === 0) return;
  const rows = db.prepare<[number], ViewsRow>(
    `select day, number, views from visit_views where day in (select id from days where project = ?)`,
  );
  const write = db.prepare('update visit_views set views = ? where day = ? and number = ?');
  for (const { day, number, views } of rows.all(project)) {
    const packed = unpackViews(views);
    if (!packed.paths.some((path) => targets.has(path))) continue;
    for (const [i, path] of packed.paths.entries()) packed.paths[i] = targetOf(path, targets);
    write.run(bytesOfViews(packed), day, number);
  }
}

/** 0 is no name. */
function targetOf(path: number, targets: ReadonlyMap<number, number | null>): number {
  const target = targets.get(path);
  return target === undefined ? path : (target ?? 0);
}
