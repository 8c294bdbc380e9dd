import type { ArchiveRecord, RecordType } from '../../../../shared/project/project-archive.ts';
import { tallies } from '../../../../shared/reports/tallies.ts';
import { numberOf, what } from '../../../counting/what.ts';
import type { Connection } from '../connection.ts';
import { searchableColumn } from '../counts/names/searchable.ts';

type Of<T extends RecordType> = Extract<ArchiveRecord, { type: T }>;
export type StagedType = Exclude<RecordType, 'project' | 'end'>;

type Value = string | number | null;
type Row = readonly Value[];

/** What a table gathers of one kind of record: its columns, and their values. */
interface Staged<T extends StagedType> {
  table: string;
  columns: Record<string, string>;
  rowOf(record: Of<T>): Row;
}

const sums = {
  human_visitors: 'bigint',
  ai_visitors: 'bigint',
  visitors: 'bigint',
  human_views: 'bigint',
  ai_views: 'bigint',
};

/** The records of a project, as its tables are to have them; names are texts until they get their numbers. */
const stagedTables: { [T in StagedType]: Staged<T> } = {
  count: {
    table: 'staged_counts',
    columns: {
      ...{
        day: 'int',
        what: 'int',
        client: 'text',
        client_searchable: 'text',
        name: 'text',
        searchable: 'text',
      },
      ...sums,
    },
    rowOf: ({ day, of, client, name, humanVisitors, aiVisitors, visitors, humanViews, aiViews }) => [
      ...[dayOf(day), numberOf(of), client, searchableOf(client), name, searchableOf(name)],
      ...[humanVisitors, aiVisitors, visitors, humanViews, aiViews],
    ],
  },
  dropped: {
    table: 'staged_dropped',
    columns: { day: 'int', reason: 'text', family: 'text', hits: 'bigint' },
    rowOf: ({ day, reason, family, hits }) => [dayOf(day), reason, family, hits],
  },
  nameCap: {
    table: 'staged_name_caps',
    columns: { day: 'int', what: 'int', cap: 'text', kind: 'int', client: 'text', views: 'bigint' },
    rowOf: ({ day, of, cap, kind, client, views }) => [dayOf(day), numberOf(of), cap, kind, client, views],
  },
  tally: {
    table: 'staged_tallies',
    columns: { tally: 'int', day: 'int', subject: 'text', name: 'text', hits: 'bigint', amount: 'bigint' },
    rowOf: ({ tally, day, group, name, hits, amount }) => [
      ...[tallies[tally].number, dayOf(day), group, name, hits, amount],
    ],
  },
  importedDay: {
    table: 'staged_imported_days',
    columns: { day: 'int', human_views: 'bigint', ai_views: 'bigint', last_at: 'bigint' },
    rowOf: ({ day, humanViews, aiViews, lastAt }) => [dayOf(day), humanViews, aiViews, lastAt],
  },
  log: {
    table: 'staged_logs',
    columns: { head_length: 'int', head_hash: 'text', bytes: 'bigint', lines: 'bigint' },
    rowOf: ({ headLength, headHash, bytes, lines }) => [headLength, headHash, bytes, lines],
  },
  mark: {
    table: 'staged_marks',
    columns: {
      ...{ id: 'text', day: 'int', kind: 'text', text: 'text', touched: 'text', url: 'text' },
      created_at: 'bigint',
    },
    rowOf: ({ id, day, kind, text, touched, url, createdAt }) => [
      ...[id, dayOf(day), kind, text, JSON.stringify(touched), url, createdAt],
    ],
  },
  ruleDay: {
    table: 'staged_rule_days',
    columns: { day: 'int', version: 'int' },
    rowOf: ({ day, version }) => [dayOf(day), version],
  },
  searchNumbers: {
    table: 'staged_search_numbers',
    columns: {
      ...{ tool: 'text', kind: 'text', first_day: 'int', last_day: 'int', name: 'text', clicks: 'bigint' },
      ...{ impressions: 'bigint', positions: 'bigint', citations: 'bigint', pages: 'bigint' },
    },
    rowOf: ({ tool, of, from, to, name, clicks, impressions, positions, citations, pages }) => [
      ...[tool, of, dayOf(from), dayOf(to), name, clicks, impressions, positions, citations, pages],
    ],
  },
  job: {
    table: 'staged_jobs',
    columns: {
      ...{ id: 'text', status: 'text', repository: 'text', ref: 'text', model: 'text' },
      ...{ base_branch: 'text', branch: 'text', pr_link: 'text', failure: 'text', created_at: 'bigint' },
      ...{ archived_at: 'bigint', active_at: 'bigint', started_by: 'text', reverts: 'text' },
    },
    rowOf: (job) => [
      ...[job.id, job.status, job.repository, job.ref, job.model, job.baseBranch, job.branch, job.prLink],
      job.failureCode && JSON.stringify({ code: job.failureCode, message: job.failureMessage }),
      ...[Date.parse(job.createdAt), job.archivedAt && Date.parse(job.archivedAt), job.activeAt],
      job.startedBy && JSON.stringify(job.startedBy),
      job.reverts,
    ],
  },
  turn: {
    table: 'staged_turns',
    columns: {
      ...{ job: 'text', number: 'int', prompt: 'text', attempt: 'int', created_at: 'bigint', record: 'text' },
      ...{
        branch: 'text',
        resumes_at: 'text',
        steps: 'int',
        input_tokens: 'bigint',
        output_tokens: 'bigint',
      },
      cached_tokens: 'bigint',
      cost: 'bigint',
    },
    rowOf: (turn) => [
      ...[turn.job, turn.number, JSON.stringify(turn.prompt), turn.attempt, turn.createdAt],
      ...[JSON.stringify(turn.record), branchIn(turn.record), turn.resumesAt, turn.steps],
      ...[turn.inputTokens, turn.outputTokens, turn.cachedTokens, turn.cost],
    ],
  },
  message: {
    table: 'staged_messages',
    columns: { job: 'text', turn: 'int', position: 'int', message: 'text' },
    rowOf: ({ job, turn, position, message }) => [job, turn, position, JSON.stringify(message)],
  },
  event: {
    table: 'staged_events',
    columns: { job: 'text', number: 'int', turn: 'int', at: 'bigint', kind: 'text', data: 'text' },
    rowOf: ({ job, number, turn, at, kind, data }) => [
      ...[job, number, turn, Date.parse(at), kind, JSON.stringify(data)],
    ],
  },
  automation: {
    table: 'staged_automations',
    columns: { id: 'text', settings: 'text', created_at: 'bigint' },
    rowOf: ({ id, settings, createdAt }) => [id, JSON.stringify(settings), createdAt],
  },
  automationRun: {
    table: 'staged_automation_runs',
    columns: { automation: 'text', key: 'text', at: 'bigint', job: 'text', reason: 'text' },
    rowOf: ({ automation, key, at, job, reason }) => [automation, key, at, job, reason],
  },
  comment: {
    table: 'staged_comments',
    columns: { job: 'text', key: 'text', state: 'text' },
    rowOf: ({ job, key, state }) => [job, key, state],
  },
  image: {
    table: 'staged_images',
    columns: { job: 'text', number: 'int', turn: 'int', name: 'text', kind: 'text', content: 'text' },
    rowOf: ({ job, number, turn, name, kind, content }) => [job, number, turn, name, kind, content],
  },
};

/** Gathers records in tables that nobody else sees, and that end with the connection. */
export class Staging {
  readonly #connection: Connection;

  static async make(connection: Connection): Promise<Staging> {
    for (const { table, columns } of Object.values(stagedTables)) {
      const declared = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
      await connection.run(
        `create temp table ${table} (place bigint generated always as identity, ${declared})`,
      );
    }
    return new Staging(connection);
  }

  private constructor(connection: Connection) {
    this.#connection = connection;
  }

  async add(records: readonly ArchiveRecord[]): Promise<void> {
    const ofKinds = Map.groupBy(records, ({ type }) => type);
    for (const [type, some] of ofKinds) {
      if (type !== 'project' && type !== 'end') await this.#addKind(type, some);
    }
  }

  /** So that what reads them knows how much there is. */
  async analyze(): Promise<void> {
    for (const { table } of Object.values(stagedTables)) await this.#connection.run(`analyze ${table}`);
  }

  /** Days of the site, from the first. */
  async siteDaysAfter(day: number): Promise<number[]> {
    const rows = await this.#connection.query<{ day: number }>(
      `select distinct day from staged_counts where what = ${what.site} and day > $1 order by day`,
      [day],
    );
    return rows.map((row) => row.day);
  }

  async #addKind<T extends StagedType>(type: T, records: readonly ArchiveRecord[]): Promise<void> {
    const { table, columns, rowOf } = stagedTables[type];
    const rows = records.map((record) => rowOf(record as Of<T>));
    const names = Object.entries(columns);
    await this.#connection.query(
      `insert into ${table} (${names.map(([name]) => name)}) select ${names.map(([name, kind]) => `x.${name}::${kind}`)}
       from unnest(${names.map((_, i) => `$${i + 1}::text[]`)}) x (${names.map(([name]) => name)})`,
      names.map((_, column) => rows.map((row) => asText(row[column]))),
    );
  }
}

/** As a day, from a date. */
export function dayOf(date: string): number {
  return Date.parse(date) / 86_400_000;
}

function asText(value: Value | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}

function searchableOf(name: string | null): string | null {
  return name === null ? null : searchableColumn(name);
}

function branchIn(record: Record<string, unknown>): string | null {
  return typeof record.branch === 'string' ? record.branch : null;
}
