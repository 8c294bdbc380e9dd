import type { Statement } from 'better-sqlite3';
import type { ArchiveRecord, RecordType } from '../../../../shared/project/project-archive.ts';
import { tallies } from '../../../../shared/reports/tallies.ts';
import { largerSpans } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import { numberOf, parentOf, what } from '../../../counting/what.ts';
import type { ArchiveAdditions } from '../../archive-store.ts';
import type { Connection } from '../connection.ts';

type Of<T extends RecordType> = Extract<ArchiveRecord, { type: T }>;

/** Records as they are, in tables that nobody else sees; numbers of names are given here, from 1. */
const staging = `
  create table names (id integer primary key, what integer not null, parent integer not null, text text not null,
    unique (what, parent, text)) strict;
  create table counts (what integer not null, parent integer not null, day integer not null, name integer not null,
    humanVisitors integer not null, aiVisitors integer not null, visitors integer not null, humanViews integer not null,
    aiViews integer not null, primary key (what, parent, day, name)) strict, without rowid;
  create table dropped (day integer, reason text, family text, hits integer) strict;
  create table name_caps (day integer, what integer, cap text, kind integer, client text, views integer) strict;
  create table tallies (tally integer, day integer, subject text, name text, hits integer, amount integer) strict;
  create table imported_days (day integer, humanViews integer, aiViews integer, lastAt integer) strict;
  create table logs (headLength integer, headHash text, bytes integer, lines integer) strict;
  create table marks (id text, day integer, kind text, text text, touched text, url text, createdAt integer) strict;
  create table rule_days (day integer, version integer) strict;
  create table search_numbers (tool text, kind text, first_day integer, last_day integer, name text, clicks integer,
    impressions integer, positions integer, citations integer, pages integer) strict;
  create table jobs (id text unique, status text, repository text, ref text, model text, prLink text, createdAt integer,
    archivedAt integer, activeAt integer, baseBranch text, branch text, failure text, startedBy text, reverts text) strict;
  create table turns (job text, number integer, prompt text, attempt integer, createdAt integer, record text,
    branch text, resumesAt text, steps integer, inputTokens integer, outputTokens integer, cachedTokens integer,
    cost integer) strict;
  create table messages (job text, turn integer, position integer, message text) strict;
  create table events (job text, number integer, turn integer, at integer, kind text, data text) strict;
  create table automations (id text, settings text, createdAt integer) strict;
  create table automation_runs (automation text, key text, at integer, job text, reason text) strict;
  create table heard_comments (job text, key text, state text) strict;
  create table job_images (job text, number integer, turn integer, name text, kind text, content blob) strict;`;

const day = (date: string) => `unixepoch(${date}) / 86400`;

const inserts: Record<Exclude<RecordType, 'project' | 'count' | 'end'>, string> = {
  dropped: `insert into dropped values (${day('@day')}, @reason, @family, @hits)`,
  nameCap: `insert into name_caps values (${day('@day')}, @what, @cap, @kind, @client, @views)`,
  tally: `insert into tallies values (@number, ${day('@day')}, @group, @name, @hits, @amount)`,
  importedDay: `insert into imported_days values (${day('@day')}, @humanViews, @aiViews, @lastAt)`,
  log: 'insert into logs values (@headLength, @headHash, @bytes, @lines)',
  mark: `insert into marks values (@id, ${day('@day')}, @kind, @text, @touched, @url, @createdAt)`,
  ruleDay: `insert into rule_days values (${day('@day')}, @version)`,
  searchNumbers: `insert into search_numbers values (@tool, @of, ${day('@from')}, ${day('@to')}, @name, @clicks, @impressions,
    @positions, @citations, @pages)`,
  job: `insert into jobs values (@id, @status, @repository, @ref, @model, @prLink, @createdAt, @archivedAt, @activeAt,
    @baseBranch, @branch, @failure, @startedBy, @reverts)`,
  turn: `insert into turns values (@job, @number, @prompt, @attempt, @createdAt, @record, @branch, @resumesAt, @steps, @inputTokens,
    @outputTokens, @cachedTokens, @cost)`,
  message: 'insert into messages values (@job, @turn, @position, @message)',
  event: 'insert into events values (@job, @number, @turn, @at, @kind, @data)',
  automation: 'insert into automations values (@id, @settings, @createdAt)',
  automationRun: 'insert into automation_runs values (@automation, @key, @at, @job, @reason)',
  comment: 'insert into heard_comments values (@job, @key, @state)',
  image: 'insert into job_images values (@job, @number, @turn, @name, @kind, @content)',
};

/** What makes the gathered records a project, given its number and by how much numbers of names have to be raised. */
const takeIn = `
  insert into live.names (id, project, what, parent, text)
    select id + @names, @project, what, iif(parent = 0, 0, parent + @names), text from names order by id;
  insert into live.counts (project, what, parent, span, day, name,
      human_visitors, ai_visitors, visitors, human_views, ai_views)
    select @project, what, iif(parent = 0, 0, parent + @names), 1, day, iif(name = 0, 0, name + @names),
      humanVisitors, aiVisitors, visitors, humanViews, aiViews from counts;
  insert into live.dropped (project, day, reason, family, hits) select @project, day, reason, family, hits from dropped;
  insert into live.name_caps (project, day, what, cap, kind, client, views)
    select @project, day, what, cap, kind, client, views from name_caps;
  insert into live.tallies (project, tally, day, subject, name, hits, amount)
    select @project, tally, day, subject, name, hits, amount from tallies;
  insert into live.imported_days (project, day, human_views, ai_views, last_at)
    select @project, day, humanViews, aiViews, lastAt from imported_days;
  insert into live.logs (project, head_length, head_hash, bytes, lines)
    select @project, headLength, unhex(headHash), bytes, lines from logs order by rowid;
  insert into live.marks (project, id, day, kind, text, touched, url, created_at)
    select @project, id, day, kind, text, touched, url, createdAt from marks;
  insert into live.rule_days (project, day, version) select @project, day, version from rule_days;
  insert into live.search_numbers (project, tool, kind, first_day, last_day, name, clicks, impressions, positions,
      citations, pages)
    select @project, tool, kind, first_day, last_day, name, clicks, impressions, positions, citations, pages
    from search_numbers;
  insert into live.jobs (public_id, project, status, repository, ref, model, pr_link, created_at, archived_at, active_at,
      base_branch, branch, failure, started_by, reverts, last_event)
    select id, @project, status, repository, ref, model, prLink, createdAt, archivedAt, activeAt, baseBranch, branch,
      failure, startedBy, reverts,
      coalesce((select max(number) from events where job = jobs.id), 0) from jobs order by rowid;
  insert into live.turns (job, number, prompt, phase, attempt, created_at, due_at, record, branch, next_message, resumes_at,
      steps, input_tokens, output_tokens, cached_tokens, cost)
    select j.id, number, prompt, 'settled', attempt, createdAt, createdAt, record, t.branch,
      (select coalesce(max(position) + 1, 0) from messages m where m.job = t.job and m.turn = t.number), resumesAt,
      steps, inputTokens, outputTokens, cachedTokens, cost from turns t join live.jobs j on j.public_id = t.job;
  insert into live.messages (job, turn, position, message)
    select j.id, turn, position, message from messages m join live.jobs j on j.public_id = m.job;
  insert into live.events (job, number, turn, at, type, data)
    select j.id, number, turn, at, kind, data from events e join live.jobs j on j.public_id = e.job;
  insert into live.automations (project, id, settings, created_at) select @project, id, settings, createdAt from automations;
  insert into live.automation_runs (project, automation, key, at, job, reason)
    select @project, automation, key, at, job, reason from automation_runs;
  insert into live.heard_comments (job, key, state)
    select j.id, key, state from heard_comments h join live.jobs j on j.public_id = h.job;
  insert into live.job_images (job, number, turn, name, type, content)
    select j.id, number, turn, name, kind, content from job_images i join live.jobs j on j.public_id = i.job;`;

/** Adds sealed days to their larger blocks, as sealing does. */
const takeInBlocks = (span: number) => `
  insert into live.counts (project, what, parent, span, day, name,
      human_visitors, ai_visitors, visitors, human_views, ai_views)
    select @project, what, iif(parent = 0, 0, parent + @names), ${span}, day / ${span} * ${span}, iif(name = 0, 0, name + @names),
      sum(humanVisitors), sum(aiVisitors), sum(visitors), sum(humanViews), sum(aiViews)
    from counts where day <= @sealedThrough group by what, parent, day / ${span}, name`;

const directoryVersion = `(select version from live.versions where what = 'directory')`;

/** Gathers the records of a project in a database of its own, and takes them in with one transaction. */
export class ProjectImport {
  readonly #db: Connection;
  readonly #inserts: Map<RecordType, Statement<[Record<string, unknown>]>>;
  readonly #findName: Statement<[number, number, string], number>;
  readonly #addName: Statement<[number, number, string]>;
  readonly #count: Statement<[Record<string, unknown>]>;
  #project: Of<'project'> | undefined;

  /** @param db empty, with the database that takes the project in attached as `live` */
  constructor(db: Connection) {
    this.#db = db;
    db.exec(staging);
    this.#inserts = new Map(
      Object.entries(inserts).map(([type, sql]) => [type as RecordType, db.prepare(sql)]),
    );
    this.#findName = db
      .prepare<[number, number, string], number>(
        'select id from names where what = ? and parent = ? and text = ?',
      )
      .pluck();
    this.#addName = db.prepare('insert into main.names (what, parent, text) values (?, ?, ?)');
    this.#count =
      db.prepare(`insert into main.counts values (@what, @parent, ${day('@day')}, @id, @humanVisitors, @aiVisitors,
      @visitors, @humanViews, @aiViews)`);
  }

  add(records: ArchiveRecord[]): void {
    this.#db.transaction(() => {
      for (const record of records) this.#add(record);
    })();
  }

  openDays(): Day[] {
    return this.#db
      .prepare<[Day], Day>(
        `select distinct day from main.counts where what = ${what.site} and day > ? order by day`,
      )
      .pluck()
      .all(this.#sealedThrough());
  }

  finish({ keys, salts }: ArchiveAdditions): 'done' | 'exists' {
    const project = this.#project;
    if (!project) throw new Error('There is no project to take in.');
    return this.#db
      .transaction(() => {
        if (this.#exists(project.id)) return 'exists';
        this.#db.exec(`update live.versions set version = version + 1 where what = 'directory'`);
        const number = this.#takeIn(project);
        const addKey = this.#db.prepare(
          `insert into live.keys (id, hash, name, scope, project, created_at, expires_at, networks,
             maker_kind, maker_id, maker_name, changed)
           values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${directoryVersion})`,
        );
        for (const { id, hash, name, scope, createdAt, expiresAt, networks, maker } of keys) {
          addKey.run(
            ...[id, hash, name, scope, number, createdAt, expiresAt, JSON.stringify(networks)],
            ...[maker?.kind ?? null, maker?.id ?? null, maker?.name ?? null],
          );
        }
        const addDay = this.#db.prepare('insert into live.days (project, day, salt) values (?, ?, ?)');
        for (const { day, salt } of salts) addDay.run(number, day, salt);
        return 'done';
      })
      .immediate();
  }

  #takeIn({ id, settings, createdAt, sealedThrough }: Of<'project'>): number {
    const db = this.#db;
    const project = Number(
      db
        .prepare(
          `insert into live.projects (public_id, settings, created_at, sealed_through, changed)
           values (?, ?, ?, ${day('?')}, ${directoryVersion})`,
        )
        .run(id, JSON.stringify(settings), createdAt, sealedThrough).lastInsertRowid,
    );
    const names = db.prepare<[], number>('select coalesce(max(id), 0) from live.names').pluck().get() ?? 0;
    for (const sql of takeIn.split(';').filter((part) => part.trim() !== '')) {
      db.prepare(sql).run(
        sql.includes('@names') ? { project, names } : sql.includes('@project') ? { project } : {},
      );
    }
    const through = this.#sealedThrough();
    for (const span of largerSpans)
      db.prepare(takeInBlocks(span)).run({ project, names, sealedThrough: through });
    return project;
  }

  #exists(projectId: string): boolean {
    const found = this.#db.prepare(
      `select 1 from live.projects where public_id = ?
       union all select 1 from live.jobs where public_id in (select id from main.jobs)`,
    );
    return found.get(projectId) !== undefined;
  }

  #sealedThrough(): Day {
    const date = this.#project?.sealedThrough ?? '0000-01-01';
    return this.#db
      .prepare<[string], Day>(`select ${day('?')}`)
      .pluck()
      .get(date) as Day;
  }

  #add(record: ArchiveRecord): void {
    if (record.type === 'end') return;
    if (record.type === 'project') this.#project = record;
    else if (record.type === 'count') this.#addCount(record);
    else {
      const { type, ...fields } = record;
      this.#inserts.get(type)?.run({ ...fields, ...asStored(record) });
    }
  }

  #addCount(record: Of<'count'>): void {
    const { of, client, name } = record;
    const number = numberOf(of);
    const parent = client === null ? 0 : this.#nameOf(parentOf[number] ?? what.client, 0, client);
    const id = name === null ? 0 : this.#nameOf(number, parent, name);
    this.#count.run({ ...record, what: number, parent, id });
  }

  #nameOf(kind: number, parent: number, text: string): number {
    return (
      this.#findName.get(kind, parent, text) ?? Number(this.#addName.run(kind, parent, text).lastInsertRowid)
    );
  }
}

/** Fields that the database has in another form. */
function asStored(record: ArchiveRecord): Record<string, unknown> {
  if (record.type === 'nameCap') return { what: numberOf(record.of) };
  if (record.type === 'tally') return { number: tallies[record.tally].number };
  if (record.type === 'mark') return { touched: JSON.stringify(record.touched) };
  if (record.type === 'turn') {
    const { prompt, record: found } = record;
    return {
      prompt: JSON.stringify(prompt),
      record: JSON.stringify([JSON.stringify(found)]),
      branch: typeof found.branch === 'string' ? found.branch : null,
    };
  }
  if (record.type === 'message') return { message: JSON.stringify(record.message) };
  if (record.type === 'event') return { at: Date.parse(record.at), data: JSON.stringify(record.data) };
  if (record.type === 'image') return { content: Buffer.from(record.content, 'base64') };
  if (record.type === 'automation') return { settings: JSON.stringify(record.settings) };
  if (record.type === 'job') {
    const { createdAt, archivedAt, failureCode: code, failureMessage: message, startedBy } = record;
    return {
      createdAt: Date.parse(createdAt),
      archivedAt: archivedAt && Date.parse(archivedAt),
      failure: code && JSON.stringify({ code, message }),
      startedBy: startedBy && JSON.stringify(startedBy),
    };
  }
  return {};
}
