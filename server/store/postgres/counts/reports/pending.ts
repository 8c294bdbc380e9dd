import { type CountedProject, ofProject } from '../counted-project.ts';
import { sumNames } from '../sums.ts';

const columns = ['shard', 'day', 'what', 'parent', 'name', ...sumNames].map((name) => `c.${name}`).join(', ');
const addedUp = sumNames.map((name) => `sum(i.${name}) as ${name}`).join(', ');

/**
 * What batches of the project have appended and nobody has added up yet, in the form of rows of `counts`: a table of a statement
 * or snapshot that reads `counts` too.
 */
export function pendingCounts(project: CountedProject): string {
  // The site has number 0, and no text.
  return `(
    select a.*, 1::smallint as span, case when a.name = 0 then 0 else o.what end as what,
      coalesce(o.parent, 0) as parent
    from (
      select p.shard, p.project, p.day, i.name, ${addedUp}
      from pending_counts p cross join lateral increments(p.views, p.sightings) i
      where ${ofProject('p', project)} group by p.shard, p.project, p.day, i.name
    ) a left join names o on o.project = a.project and o.id = a.name)`;
}

/**
 * Sums of what waits, by the number of the name; of days in `$4`. Quicker than `pendingCounts`: names are looked up by whoever
 * needs them, each once.
 *
 * @param sums of columns of `c`, as `is` is about it
 */
export function pendingSums(project: CountedProject, sums: string, is: string): string {
  return `
    select c.name as id, ${sums} from pending_counts p cross join lateral increments(p.views, p.sightings) c
    where ${ofProject('p', project)} and p.day = any ($4) and ${is} group by c.name`;
}

/** Rows of `counts` and what waits, as a table. @param is about `c`. @param from what `c` is joined with */
export function allCounts(project: CountedProject, is: string, from?: string): string {
  const rows = (counts: string, where: string) =>
    `select ${columns} from ${from === undefined ? `${counts} c where` : `${from} join ${counts} c on`} ${where}`;
  return `(
    ${rows('counts', `${ofProject('c', project)} and ${is}`)}
    union all
    ${rows(pendingCounts(project), is)})`;
}
