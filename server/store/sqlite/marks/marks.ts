import type { Statement } from 'better-sqlite3';
import type { Day } from '../../../counting/calendar.ts';
import { type Mark, type MarkQuery, maxMarks, type RuleDay } from '../../mark-store.ts';
import type { Connection } from '../connection.ts';

type KeptMark = Omit<Mark, 'touched'> & { touched: string };

/** Marks, and which version of the rules judged which day. */
export class Marks {
  readonly #db: Connection;
  readonly #project: Statement<[string], number>;
  readonly #count: Statement<[number], number>;
  readonly #find: Statement<[number, string], number>;
  readonly #add: Statement<[Omit<KeptMark, 'projectId'> & { project: number }]>;
  readonly #remove: Statement<[string, string]>;
  readonly #list: Statement<[{ projectId: string; from: Day; to: Day }], KeptMark>;
  readonly #note: Statement<[RuleDay & { projectId: string }]>;
  readonly #rules: Statement<[string], RuleDay>;

  constructor(db: Connection) {
    this.#db = db;
    this.#project = db.prepare<[string], number>('select id from projects where public_id = ?').pluck();
    this.#count = db.prepare<[number], number>('select count(*) from marks where project = ?').pluck();
    this.#find = db
      .prepare<[number, string], number>('select 1 from marks where project = ? and id = ?')
      .pluck();
    this.#add = db.prepare(
      `insert into marks (project, id, day, kind, text, touched, url, created_at)
       values (@project, @id, @day, @kind, @text, @touched, @url, @createdAt)`,
    );
    this.#remove = db.prepare(
      'delete from marks where project = (select id from projects where public_id = ?) and id = ?',
    );
    this.#list = db.prepare(
      `select p.public_id as projectId, m.id, day, kind, text, touched, url, m.created_at as createdAt
       from marks m join projects p on p.id = m.project
       where p.public_id = @projectId and day >= @from and day < @to order by day, m.id`,
    );
    this.#note = db.prepare(
      `insert into rule_days (project, day, version)
       select id, @day, @version from projects where public_id = @projectId on conflict do nothing`,
    );
    this.#rules = db.prepare(
      `select day, version from rule_days r join projects p on p.id = r.project
       where p.public_id = ? order by day, version`,
    );
  }

  addMark({ projectId, ...mark }: Mark): 'added' | 'repeated' | 'full' | 'gone' {
    return this.#db
      .transaction(() => {
        const project = this.#project.get(projectId);
        if (project === undefined) return 'gone';
        if (this.#find.get(project, mark.id) !== undefined) return 'repeated';
        if ((this.#count.get(project) ?? 0) >= maxMarks) return 'full';
        this.#add.run({ ...mark, project, touched: JSON.stringify(mark.touched) });
        return 'added';
      })
      .immediate();
  }

  removeMark(projectId: string, id: string): boolean {
    return this.#remove.run(projectId, id).changes > 0;
  }

  listMarks({ projectId, from, to }: MarkQuery): Mark[] {
    return this.#list
      .all({ projectId, from: from ?? -1e9, to: to ?? 1e9 })
      .map((mark) => ({ ...mark, touched: JSON.parse(mark.touched) as string[] }));
  }

  noteRules(projectId: string, ruleDay: RuleDay): void {
    this.#note.run({ projectId, ...ruleDay });
  }

  listRules(projectId: string): RuleDay[] {
    return this.#rules.all(projectId);
  }
}
