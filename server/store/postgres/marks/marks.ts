import { type Mark, type MarkQuery, type MarkStore, maxMarks, type RuleDay } from '../../mark-store.ts';
import type { Database } from '../database.ts';

type KeptMark = Omit<Mark, 'touched'> & { touched: string };

/** Marks, and which version of the rules judged which day. */
export class Marks implements MarkStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  addMark({ projectId, ...mark }: Mark): Promise<'added' | 'repeated' | 'full' | 'gone'> {
    return this.#database.transaction(async (session) => {
      // Whoever adds another one at the same time waits, so that there are never too many.
      const [project] = await session.query<{ id: number }>(
        'select id from projects where public_id = $1 for no key update',
        [projectId],
      );
      if (!project) return 'gone';
      const { id, day, kind, text, touched, url, createdAt } = mark;
      const [kept] = await session.query<{ marks: number; known: boolean }>(
        'select count(*) as marks, coalesce(bool_or(id = $2), false) as known from marks where project = $1',
        [project.id, id],
      );
      if (kept?.known) return 'repeated';
      if (kept && kept.marks >= maxMarks) return 'full';
      await session.query(
        `insert into marks (project, id, day, kind, text, touched, url, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [project.id, id, day, kind, text, JSON.stringify(touched), url, createdAt],
      );
      return 'added';
    });
  }

  async removeMark(projectId: string, id: string): Promise<boolean> {
    const removed = await this.#database.query(
      'delete from marks m using projects p where p.id = m.project and p.public_id = $1 and m.id = $2 returning m.id',
      [projectId, id],
    );
    return removed.length > 0;
  }

  async listMarks({ projectId, from, to }: MarkQuery): Promise<Mark[]> {
    const marks = await this.#database.query<KeptMark>(
      `select p.public_id as "projectId", m.id, day, kind, text, touched, url, m.created_at as "createdAt"
       from marks m join projects p on p.id = m.project
       where p.public_id = $1 and day >= coalesce($2::int, day) and day < coalesce($3::int, day + 1) order by day, m.id`,
      [projectId, from, to],
    );
    return marks.map((mark) => ({ ...mark, touched: JSON.parse(mark.touched) as string[] }));
  }

  async noteRules(projectId: string, { day, version }: RuleDay): Promise<void> {
    await this.#database.query(
      `insert into rule_days (project, day, version)
       select id, $2::int, $3::int from projects where public_id = $1 on conflict do nothing`,
      [projectId, day, version],
    );
  }

  listRules(projectId: string): Promise<RuleDay[]> {
    return this.#database.query<RuleDay>(
      `select day, version from rule_days r join projects p on p.id = r.project
       where p.public_id = $1 order by day, version`,
      [projectId],
    );
  }
}
