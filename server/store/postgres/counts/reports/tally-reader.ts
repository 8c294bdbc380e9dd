import { type Tally, tallies } from '../../../../../shared/reports/tallies.ts';
import type { Day } from '../../../../counting/calendar.ts';
import { searchableText, wantedText } from '../../../../counting/names/name-search.ts';
import { leastVisitors, sightedFrom, sightingsOf } from '../../../../counting/sighting.ts';
import type { TallyDaysQuery, TallyQuery, TallyRow } from '../../../counts/analytics-store.ts';
import { type PageOfRows, toPage } from '../../../page.ts';
import type { Database } from '../../database.ts';
import { type CountedProject, findProject, ofProject, placeOf } from '../counted-project.ts';

const sums = 'subject as "group", name, sum(hits) as hits, sum(amount) as amount';

/** Tells what is summed up by day besides views. */
export class TallyReader {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  readTally(query: TallyQuery): Promise<PageOfRows<TallyRow>> {
    const { projectId, tally, from, to, group, names, search, limit, offset } = query;
    return this.#database.snapshot(async (session) => {
      const project = await findProject(session, projectId);
      if (!project) return { rows: [], hasMore: false };
      // Names of a day are few: what a search looks in is not kept.
      const page = search === undefined ? [limit + 1, offset] : [null, 0];
      const rows = await session.query<TallyRow>(
        `select ${sums} from (${told(tally, project)}) t
         where ($6::text is null or subject = $6 or starts_with(subject, $6 || E'\\t'))
           and ($7::text[] is null or name = any($7))
         group by subject, name order by hits desc, subject, name limit $8 offset $9`,
        [...placeOf(project), tallies[tally].number, from, to, group ?? null, names ?? null, ...page],
      );
      if (search === undefined) return toPage(rows, { limit });
      const wanted = wantedText(search);
      const found = rows.filter((row) =>
        [row.name, row.group].some((text) => searchableText(text).includes(wanted)),
      );
      return toPage(found.slice(offset, offset + limit + 1), { limit });
    });
  }

  readTallyDays({ projectId, tally, from, to }: TallyDaysQuery): Promise<(TallyRow & { day: Day })[]> {
    return this.#database.snapshot(async (session) => {
      const project = await findProject(session, projectId);
      if (!project) return [];
      return session.query<TallyRow & { day: Day }>(
        `select day, ${sums} from tallies t where ${ofTally(project)} and day >= $4 and day < $5
         group by day, subject, name order by day, subject, name`,
        [...placeOf(project), tallies[tally].number, from, to],
      );
    });
  }
}

/** Sums of the range, and of open days what enough visitors share. */
function told(tally: Tally, project: CountedProject): string {
  const ofDays = `${ofProject('t', project)} and day >= coalesce($4, day) and day < coalesce($5, day + 1)`;
  const summed = `select subject, name, hits, amount from tallies t where ${ofDays} and t.tally = $3`;
  const sightings = sightingsOf(tally);
  if (!sightings) return summed;
  const ofSightings = `${ofDays} and t.tally = ${tallies[sightings].number}`;
  return `${summed} union all select subject, name, hits, amount from (${sharedSightings(ofSightings)}) s`;
}

/** What enough visitors of a day share. @param which sightings of `t` */
export function sharedSightings(which: string): string {
  return `select day, substr(subject, ${sightedFrom}) as subject, name, count(distinct subject) as hits, 0 as amount
    from tallies t where ${which} group by day, 2, name having count(distinct subject) >= ${leastVisitors}`;
}

function ofTally(project: CountedProject): string {
  return `${ofProject('t', project)} and t.tally = $3`;
}
