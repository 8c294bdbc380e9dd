import type { Day } from '../../../counting/calendar.ts';
import type { Queryable } from '../../../database/sql.ts';

/** A day that counts, as a node remembers it. What of it may change is checked again when views are counted. */
export interface OpenDayRow {
  id: number;
  project: number;
  day: Day;
  bin: number;
  buckets: number;
  nameChanges: number;
  /** An import opened it though it is sealed. */
  isSealed: boolean;
}

export interface DayPlace {
  projectId: string;
  day: Day;
}

const columns = `d.id, d.project, d.day, d.bin, d.buckets, p.name_changes as "nameChanges", d.forget_at is not null as "isSealed"`;

/** Some 20 MB of them. */
const maxRemembered = 100_000;

/** Open days by project and date, remembered until they turn out to be closed. */
export class DayRows {
  readonly #known = new Map<string, OpenDayRow>();

  /** Undefined: it is not open. */
  async find(db: Queryable, places: readonly DayPlace[]): Promise<(OpenDayRow | undefined)[]> {
    const rows = places.map((place) => this.#known.get(keyOf(place)));
    const unknown = places.filter((_, i) => !rows[i]);
    if (unknown.length === 0) return rows;
    const found = await lookFor(db, unknown);
    if (this.#known.size + found.size > maxRemembered) this.#known.clear();
    for (const [key, row] of found) this.#known.set(key, row);
    const all = places.map((place, i) => rows[i] ?? found.get(keyOf(place)));
    if (isOfOneMoment(all)) return all;
    this.forget(places);
    return this.find(db, places);
  }

  forget(places: readonly DayPlace[]): void {
    for (const place of places) this.#known.delete(keyOf(place));
  }
}

async function lookFor(db: Queryable, places: readonly DayPlace[]): Promise<Map<string, OpenDayRow>> {
  const rows = await db.query<OpenDayRow & DayPlace>(
    `select p.public_id as "projectId", ${columns}
     from unnest($1::text[], $2::int[]) as x(project, day)
       join projects p on p.public_id = x.project
       join days d on d.project = p.id and d.day = x.day and d.salt is not null`,
    [places.map(({ projectId }) => projectId), places.map(({ day }) => day)],
  );
  return new Map(rows.map((row) => [keyOf(row), row]));
}

/** Days by the numbers of their rows. Undefined: it is not open. */
export async function findDays(
  db: Queryable,
  projectId: string,
  ids: readonly number[],
): Promise<(OpenDayRow | undefined)[]> {
  const rows = await db.query<OpenDayRow>(
    `select ${columns} from days d join projects p on p.id = d.project
     where p.public_id = $1 and d.id = any ($2) and d.salt is not null`,
    [projectId, ids],
  );
  return ids.map((id) => rows.find((row) => row.id === id));
}

/** Days of a project have the same names. */
function isOfOneMoment(rows: readonly (OpenDayRow | undefined)[]): boolean {
  const changes = new Map<number, number>();
  for (const row of rows) if (row) changes.set(row.project, row.nameChanges);
  return rows.every((row) => !row || changes.get(row.project) === row.nameChanges);
}

function keyOf({ projectId, day }: DayPlace): string {
  return `${projectId} ${day}`;
}
