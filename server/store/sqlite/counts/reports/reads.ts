import type { Statement } from 'better-sqlite3';
import { coverDays } from '../../../../counting/blocks.ts';
import type { Day } from '../../../../counting/calendar.ts';
import {
  type CountedDays,
  findReadDays,
  neverRead,
  type Question,
  type ReadDays,
} from '../../../../counting/read-days.ts';
import { what } from '../../../../counting/what.ts';
import type { ReadPathsQuery, ReadsQuery } from '../../../counts/analytics-store.ts';
import type { Connection } from '../../connection.ts';

/** What reads are counts of: of paths by any AI client, or by one. */
interface Kind {
  project: number;
  what: number;
  parent: number;
}

/** Says when AI clients read pages. */
export class Reads {
  readonly #db: Connection;
  readonly #project: Statement<[string], { id: number; sealed_through: Day | null }>;
  readonly #days: Statement<[number], { first: Day | null; last: Day | null }>;
  readonly #client: Statement<[number, string], number>;
  readonly #name: Statement<[Kind & { text: string }], number>;
  readonly #isRead: Statement<[number, number, number, number, Day, number], 1>;
  readonly #paths: Statement<[Kind & { blocks: string }], string>;

  constructor(db: Connection) {
    this.#db = db;
    this.#project = db.prepare('select id, sealed_through from projects where public_id = ?');
    this.#days = db.prepare(
      `select min(day) as first, max(day) as last from counts
       where project = ? and what = ${what.site} and parent = 0 and span = 1`,
    );
    this.#client = db
      .prepare<[number, string], number>(
        `select id from names where project = ? and what = ${what.client} and parent = 0 and text = ?`,
      )
      .pluck();
    this.#name = db
      .prepare<[Kind & { text: string }], number>(
        'select id from names where project = @project and what = @what and parent = @parent and text = @text',
      )
      .pluck();
    this.#isRead = db
      .prepare<[number, number, number, number, Day, number], 1>(
        `select 1 from counts
         where project = ? and what = ? and parent = ? and span = ? and day = ? and name = ? and ai_views > 0`,
      )
      .pluck();
    this.#paths = db
      .prepare<[Kind & { blocks: string }], string>(
        `select text from names where id in (
           select c.name from json_each(@blocks) b cross join counts c
             on c.project = @project and c.what = @what and c.parent = @parent
             and c.span = b.value ->> 'span' and c.day = b.value ->> 'day'
           where c.ai_views > 0)`,
      )
      .pluck();
  }

  findReads({ projectId, client, pages }: ReadsQuery): ReadDays[] {
    return this.#read<ReadDays[]>(
      projectId,
      client,
      pages.map(() => neverRead),
      (kind, days) => {
        const names = pages.map(({ path }) => this.#name.get({ ...kind, text: path }));
        const known = pages
          .map(({ since }, i) => ({ since, name: names[i], i }))
          .filter(({ name }) => name !== undefined);
        const found = this.#follow(kind, known as { since: Day | null; name: number }[], days);
        const byPage = new Map(known.map(({ i }, place) => [i, found[place]]));
        return pages.map((_, i) => byPage.get(i) ?? neverRead);
      },
    );
  }

  listReadPaths({ projectId, client, from }: ReadPathsQuery): string[] {
    return this.#read<string[]>(projectId, client, [], (kind, days) => {
      const blocks = coverDays(Math.max(from, days.from), days.to, days.sealedThrough);
      return this.#paths.all({ ...kind, blocks: JSON.stringify(blocks) });
    });
  }

  #follow(
    { project, what, parent }: Kind,
    pages: readonly { since: Day | null; name: number }[],
    days: CountedDays,
  ) {
    const isRead = ({ page, span, day }: Question) =>
      this.#isRead.get(project, what, parent, span, day, pages[page]?.name as number) === 1;
    const asking = findReadDays(
      pages.map(({ since }) => since),
      days,
    );
    let step = asking.next();
    while (!step.done) step = asking.next(step.value.map(isRead));
    return step.value;
  }

  /** All in one snapshot. */
  #read<T>(
    projectId: string,
    client: string | null,
    nothing: T,
    read: (kind: Kind, days: CountedDays) => T,
  ): T {
    return this.#db.transaction(() => {
      const project = this.#project.get(projectId);
      const counted = project && this.#days.get(project.id);
      if (!project || counted?.first == null || counted.last == null) return nothing;
      const parent = client === null ? 0 : this.#client.get(project.id, client);
      if (parent === undefined) return nothing;
      const kind = { project: project.id, what: client === null ? what.path : what.clientPath, parent };
      return read(kind, { from: counted.first, to: counted.last + 1, sealedThrough: project.sealed_through });
    })();
  }
}
