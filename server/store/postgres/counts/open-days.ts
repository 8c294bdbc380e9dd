import type { Day } from '../../../counting/calendar.ts';
import type { KeptSalt, OpenDay, ProjectCalendar, SaltReplacement } from '../../counts/counting-store.ts';
import type { Database } from '../database.ts';
import type { Queryable } from '../queryable.ts';

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

/** Opens a day for live hits; or, told when its salt is thrown away, any day for an import. */
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

/** Opens again after the partition was made, which no transaction that opens can do. */
export async function openInPartition<Opened extends { state: string }>(
  database: Database,
  open: () => Promise<Opened | Unmade>,
): Promise<Exclude<Opened, Unmade>> {
  for (;;) {
    const opened = await open();
    if (!isUnmade(opened)) return opened as Exclude<Opened, Unmade>;
    await database.query('select make_bin($1)', [opened.day]);
  }
}

function isUnmade(opened: { state: string }): opened is Unmade {
  return opened.state === 'unmade';
}

/** Days, and the salts that they count with. */
export class OpenDays {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async openDay(projectId: string, day: Day, salt: Uint8Array): Promise<OpenDay | null> {
    const open = () => openDay(this.#database, projectId, day, salt);
    const opened = await openInPartition(this.#database, open);
    if (opened.state === 'closed') return { day: opened.day, salt: null };
    return opened.state === 'open' && opened.salt ? { day, salt: opened.salt } : null;
  }

  listSalts(): Promise<KeptSalt[]> {
    return this.#database.query<KeptSalt>(
      `select p.public_id as "projectId", d.day, d.salt, d.forget_at as "forgetAt"
       from days d join projects p on p.id = d.project where d.salt is not null order by d.id`,
    );
  }

  listCalendars(): Promise<ProjectCalendar[]> {
    return this.#database.query<ProjectCalendar>(
      `select p.public_id as "projectId", p.sealed_through as "sealedThrough",
         max(n.day) as "newestDay"
       from projects p left join newest_days() n on n.project = p.id group by p.id order by p.id`,
    );
  }

  async replaceSalts(replacements: SaltReplacement[]): Promise<void> {
    await this.#database.transaction(async (session) => {
      for (const { projectId, day, salt, by } of replacements) {
        await session.query(
          `update days set salt = $1
           where project = (select id from projects where public_id = $2) and day = $3 and salt = $4`,
          [by, projectId, day, salt],
        );
      }
    });
  }
}
