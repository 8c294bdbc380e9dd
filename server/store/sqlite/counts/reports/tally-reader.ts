import type { Statement } from 'better-sqlite3';
import { type Tally, tallies } from '../../../../../shared/reports/tallies.ts';
import type { Day } from '../../../../counting/calendar.ts';
import { wantedText } from '../../../../counting/names/name-search.ts';
import { leastVisitors, sightedFrom, sightingsOf } from '../../../../counting/sighting.ts';
import type { TallyDaysQuery, TallyQuery, TallyRow } from '../../../counts/analytics-store.ts';
import { type PageOfRows, toPage } from '../../../page.ts';
import type { Connection } from '../../connection.ts';

interface Selection {
  projectId: string;
  tally: number;
  from: Day;
  to: Day;
}

type RowsSelection = Selection & {
  sightings: number | null;
  group: string | null;
  /** A list in JSON. */
  names: string | null;
  search: string | null;
  limit: number;
  offset: number;
};

const selected = `from tallies
  where project = (select id from projects where public_id = @projectId) and day >= @from and day < @to`;

/** Of sightings, which days have that are not sealed: what enough visitors share. @param which `from` and `where` */
export function sharedSightings(which: string): string {
  return `select day, substr(subject, ${sightedFrom}) as subject, name, count(*) as hits, 0 as amount
    ${which} group by day, 2, name having count(*) >= ${leastVisitors}`;
}

/** Tells what is summed up by day besides views. Made after `Reports`, whose function it searches with. */
export class TallyReader {
  readonly #rows: Statement<[RowsSelection], TallyRow>;
  readonly #days: Statement<[Selection], TallyRow & { day: Day }>;

  constructor(db: Connection) {
    this.#rows = db.prepare(
      `select subject as "group", name, sum(hits) as hits, sum(amount) as amount
       from (select subject, name, hits, amount ${selected} and tally = @tally
         union all select subject, name, hits, amount from (${sharedSightings(`${selected} and tally = @sightings`)}))
       where (@group is null or subject = @group or substr(subject, 1, length(@group) + 1) = @group || char(9))
         and (@names is null or name in (select value from json_each(@names)))
         and (@search is null or contains(name, @search) or contains(subject, @search))
       group by subject, name order by sum(hits) desc, subject, name limit @limit offset @offset`,
    );
    this.#days = db.prepare(
      `select day, subject as "group", name, hits, amount ${selected} and tally = @tally order by day, subject, name`,
    );
  }

  readTally(query: TallyQuery): PageOfRows<TallyRow> {
    const { projectId, tally, from, to, group, names, search, limit, offset } = query;
    const rows = this.#rows.all({
      projectId,
      tally: tallies[tally].number,
      sightings: numberOf(sightingsOf(tally)),
      from: from ?? -1e9,
      to: to ?? 1e9,
      group: group ?? null,
      names: names === undefined ? null : JSON.stringify(names),
      search: search === undefined ? null : wantedText(search),
      limit: limit + 1,
      offset,
    });
    return toPage(rows, { limit });
  }

  readTallyDays({ projectId, tally, from, to }: TallyDaysQuery): (TallyRow & { day: Day })[] {
    return this.#days.all({ projectId, tally: tallies[tally].number, from, to });
  }
}

function numberOf(tally: Tally | undefined): number | null {
  return tally === undefined ? null : tallies[tally].number;
}
