import type { Day } from '../../../counting/calendar.ts';
import type { Queryable } from '../../../database/sql.ts';
import type {
  DayOpening,
  KeptSalt,
  OpenDay,
  ProjectCalendar,
  SaltReplacement,
} from '../../counts/counting-store.ts';
import type { Database } from '../database.ts';

/** An opening, as `open_day` answers it. */
export type Opening =
  | { state: 'open'; id: number; day: Day; salt: Uint8Array | null }
  /** `day` is the first that can be open. */
  | { state: 'closed'; day: Day }
  /** Days up to this one are being closed. */
  | { state: 'ending'; day: Day }
  | { state: 'none' };

/** Its partition has to be made first. */
type Unmade = { state: 'unmade'; day: number };

/** Opens any day for an import, which says when its salt is thrown away. */
export async function openDay(
  db: Queryable,
  projectId: string,
  day: Day,
  salt: Uint8Array,
  forgetAt: number | null = null,
): Promise<Opening | Unmade> {
  const [opened] = await db.query<Opening | Unmade>(
    'select state, id, day, salt from open_day($1, $2, $3, $4)',
    [projectId, day, salt, forgetAt],
  );
  return opened ?? { state: 'none' };
}

function isUnmade(opened: { state: string }): opened is Unmade {
  return opened.state === 'unmade';
}

/** Opens days for live hits, and notes the rules of those that are open. */
async function openAll(db: Queryable, openings: DayOpening[]): Promise<(Opening | Unmade)[]> {
  const rows = await db.query<(Opening | Unmade) & { place: number }>(
    `select o.place::int, d.state, d.id, d.day, d.salt
     from unnest($1::text[], $2::int[], $3::bytea[]) with ordinality o (project, day, salt, place),
       open_day(o.project, o.day, o.salt, null) d`,
    [
      openings.map(({ projectId }) => projectId),
      openings.map(({ day }) => day),
      openings.map(({ salt }) => salt),
    ],
  );
  const opened = openings.map((): Opening | Unmade => ({ state: 'none' }));
  for (const { place, ...one } of rows) opened[place - 1] = one;
  const noted = openings.filter(({ rules }, i) => rules !== null && opened[i]?.state === 'open');
  if (noted.length === 0) return opened;
  await db.query(
    `insert into rule_days (project, day, version)
     select p.id, o.day, o.version from unnest($1::text[], $2::int[], $3::int[]) o (project, day, version)
       join projects p on p.public_id = o.project
     order by p.id, o.day on conflict do nothing`,
    [noted.map(({ projectId }) => projectId), noted.map(({ day }) => day), noted.map(({ rules }) => rules)],
  );
  return opened;
}

function openDayOf(opened: Opening | Unmade, { day }: DayOpening): OpenDay | null {
  if (opened.state === 'closed') return { day: opened.day, salt: null };
  return opened.state === 'open' && opened.salt ? { day, salt: opened.salt } : null;
}

function compare(a: DayOpening, b: DayOpening): number {
  return a.projectId === b.projectId ? a.day - b.day : a.projectId < b.projectId ? -1 : 1;
}

/** Days, and the salts that they count with. */
export function calendar(database: Database) {
  async function openDays(openings: readonly DayOpening[]): Promise<(OpenDay | null)[]> {
    // In the same order on every node, as one waits for the other where both open a day.
    const places = [...openings.entries()].sort(([, a], [, b]) => compare(a, b));
    const sorted = await openSorted(places.map(([, opening]) => opening));
    const opened = new Array<OpenDay | null>(openings.length).fill(null);
    for (const [i, [place]] of places.entries()) opened[place] = sorted[i] ?? null;
    return opened;
  }

  async function openSorted(openings: DayOpening[]): Promise<(OpenDay | null)[]> {
    for (;;) {
      const opened = await database.transaction((db) => openAll(db, openings));
      const unmade = new Set(opened.filter(isUnmade).map(({ day }) => day));
      for (const bin of unmade) await database.query('select make_bin($1)', [bin]);
      if (unmade.size === 0) return opened.map((one, i) => openDayOf(one, openings[i] as DayOpening));
    }
  }

  function listSalts(): Promise<KeptSalt[]> {
    return database.query<KeptSalt>(
      `select p.public_id as "projectId", d.day, d.salt, d.forget_at as "forgetAt"
       from days d join projects p on p.id = d.project where d.salt is not null order by d.id`,
    );
  }

  function listCalendars(): Promise<ProjectCalendar[]> {
    return database.query<ProjectCalendar>(
      `select p.public_id as "projectId", p.sealed_through as "sealedThrough",
         max(n.day) as "newestDay"
       from projects p left join newest_days() n on n.project = p.id group by p.id order by p.id`,
    );
  }

  async function replaceSalts(replacements: SaltReplacement[]): Promise<void> {
    await database.transaction(async (session) => {
      for (const { projectId, day, salt, by } of replacements) {
        await session.query(
          `update days set salt = $1
           where project = (select id from projects where public_id = $2) and day = $3 and salt = $4`,
          [by, projectId, day, salt],
        );
      }
    });
  }

  return { openDays, listSalts, listCalendars, replaceSalts };
}
