import { what } from '../../../counting/what.ts';
import { type CountedProject, ofProject } from './counted-project.ts';
import { sumColumns, sumNames } from './sums.ts';

/** What a count `c` is of, and its sums. */
export const countColumns = ['shard', 'day', 'what', 'parent', 'name', ...sumNames]
  .map((name) => `c.${name}`)
  .join(', ');
const addedUp = sumNames.map((name) => `sum(i.${name}) as ${name}`).join(', ');

const increments = 'pending_counts p cross join lateral increments(p.views, p.sightings) i';

/** Of these, the site: it has number 0, and no text. */
export function pendingSite(project: CountedProject): string {
  return `(select p.shard, 1::smallint as span, p.day, ${what.site}::smallint as what, 0 as parent, 0 as name, ${addedUp}
      from ${increments} where ${ofProject('p', project)} and i.name = 0 group by p.shard, p.day)`;
}

/**
 * What batches of the project have appended and nobody has added up yet, in the form of rows of `counts`: tables of a statement
 * or snapshot that reads `counts` too. Two, as Citus takes no union in a union where its rows get their names.
 */
export function pendingCounts(project: CountedProject): string[] {
  return [
    `(select a.shard, 1::smallint as span, a.day, o.what, o.parent, a.name, ${sumColumns}
      from (
        select p.shard, p.project, p.day, i.name, ${addedUp} from ${increments}
        where ${ofProject('p', project)} group by p.shard, p.project, p.day, i.name
      ) a join names o on o.project = a.project and o.id = a.name)`,
    pendingSite(project),
  ];
}

/** Rows of `counts` and what waits, as a table. @param is about `c`. @param from what `c` is joined with */
export function allCounts(project: CountedProject, is: string, from?: string): string {
  const rows = (counts: string, where: string) =>
    `select ${countColumns} from ${from === undefined ? `${counts} c where` : `${from} join ${counts} c on`} ${where}`;
  const pending = pendingCounts(project).map((table) => rows(table, is));
  return `(${[rows('counts', `${ofProject('c', project)} and ${is}`), ...pending].join(' union all ')})`;
}
