import type { ArchiveRecord, RecordType } from '../../../shared/project/project-archive.ts';
import { fromDay } from '../../counting/calendar.ts';
import type { Dialect } from '../../database/sql.ts';
import type { Archived, Table } from '../../database/tables/table.ts';
import { tables } from '../../database/tables/tables.ts';
import { joinRecord } from '../jobs/job-rows.ts';

type Fields = Record<string, unknown>;
/** A row as it waits to be taken in: by its columns; bytes as hexadecimal digits. */
type Row = Record<string, unknown>;

/** A table of which a project's archive has all that is the project's. */
export type ArchivedTable = Table & { archive: Archived };

/** In the order in which their records stand in an archive. */
const types: readonly RecordType[] = [
  ...(['importedDay', 'log', 'mark', 'ruleDay', 'searchNumbers', 'job', 'turn', 'message', 'event'] as const),
  ...(['automation', 'automationRun', 'comment', 'image'] as const),
];

const isArchived = (table: Table): table is ArchivedTable => table.archive !== undefined;
export const archivedTables: readonly ArchivedTable[] = tables
  .filter(isArchived)
  .sort((a, b) => placeOf(a) - placeOf(b));

function placeOf({ archive }: ArchivedTable): number {
  return types.indexOf(archive.type as RecordType);
}

/** At work: it leaves as one that failed, as only one installation may go on with it. */
const leftAtWork = {
  code: 'unknown',
  message: 'It was at work when the project was exported: send it another message.',
};

/** What of a row is another thing in a record, and the other way round. */
const special: Partial<Record<string, { toRecord(fields: Fields): Fields; toRow(record: Fields): Row }>> = {
  job: {
    toRecord: ({ failure, startedBy, reverts, ...job }) => {
      const isActive = job.status === 'active';
      const { code, message } = ((isActive ? leftAtWork : failure) ?? {}) as Fields;
      return {
        ...job,
        status: isActive ? 'failed' : job.status,
        failureCode: code ?? null,
        failureMessage: message ?? null,
        startedBy,
        reverts,
      };
    },
    toRow: ({ failureCode: code, failureMessage: message }) => ({
      failure: code ? JSON.stringify({ code, message }) : null,
    }),
  },
  turn: {
    toRecord: (turn) => ({ ...turn, record: joinRecord(turn.record as string[]) }),
    toRow: ({ record, createdAt }) => ({
      phase: 'settled',
      due_at: createdAt,
      record: [JSON.stringify(record)],
      branch: storable((record as Fields).branch) ?? null,
    }),
  },
};

const parse = (field: string): { column: string; form: string | undefined } => {
  const [column = '', form] = field.split(':');
  return { column, form };
};

/** Of a job's row, the job by what it is called elsewhere. */
const isOfJob = ({ references }: Table) => references?.job === 'jobs';

/** Selects the rows of a project, whose number is `$1`, with the names of their fields. */
export function selectArchived(table: ArchivedTable, { listAsJson }: Dialect): string {
  const selected = Object.entries(table.archive.fields).map(([field, text]) => {
    const { column } = parse(text);
    if (column === 'job' && isOfJob(table)) return `j.public_id as "${field}"`;
    const value = table.columns[column] === 'text[]' ? listAsJson(`t.${column}`) : `t.${column}`;
    return `${value} as "${field}"`;
  });
  const [join, project] = isOfJob(table) ? ['join jobs j on j.id = t.job', 'j.project'] : ['', 't.project'];
  return `select ${selected.join(', ')} from ${table.name} t ${join} where ${project} = $1 order by ${table.archive.order}`;
}

/** @param row as `selectArchived` answers it */
export function toRecord({ archive }: ArchivedTable, row: Row): ArchiveRecord {
  const fields = Object.entries(archive.fields).map(([field, text]) => [
    field,
    written(row[field], parse(text).form),
  ]);
  const record = Object.fromEntries(fields);
  return { type: archive.type, ...(special[archive.type]?.toRecord(record) ?? record) } as ArchiveRecord;
}

function written(value: unknown, form: string | undefined): unknown {
  if (value === null || form === undefined) return value;
  if (form === 'json') return JSON.parse(String(value));
  if (form === 'date') return fromDay(Number(value)).toString();
  if (form === 'time') return new Date(Number(value)).toISOString();
  return Buffer.from(value as Uint8Array).toString(form as 'hex' | 'base64');
}

/** Undefined: the engine takes in such records by itself. */
export function toStaged(record: ArchiveRecord): { type: RecordType; row: Row } | undefined {
  const table = archivedTables.find(({ archive }) => archive.type === record.type);
  if (!table) return undefined;
  const fields: Fields = record;
  const cells = Object.entries(table.archive.fields).map(([field, text]) => {
    const { column, form } = parse(text);
    return [column, read(fields[field], form)];
  });
  return { type: record.type, row: { ...Object.fromEntries(cells), ...special[record.type]?.toRow(fields) } };
}

function read(value: unknown, form: string | undefined): unknown {
  if (value === null || value === undefined) return null;
  if (form === 'json') return JSON.stringify(value);
  if (form === 'date') return Date.parse(String(value)) / 86_400_000;
  if (form === 'time') return Date.parse(String(value));
  if (form === 'base64') return Buffer.from(String(value), 'base64').toString('hex');
  return storable(value);
}

/** No text of PostgreSQL can hold U+0000, and no text of either half a character. */
function storable(value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\uFFFD') : value;
}

/** The words in which engines differ. */
interface Words {
  /** Before the names of tables that take records in. */
  into: string;
  /** A column of a staged row (`s.row`, JSON), by its type. */
  cell(column: string, type: string): string;
}

/** Takes in what is staged in `staged (place, type, row)`, for the project with the number `$1`. */
export function takeIn({ into, cell }: Words): string[] {
  const inserts = archivedTables.map((table) => {
    const { name, archive, columns } = table;
    const own = Object.values(archive.fields).map((text) => parse(text).column);
    const added = archive.type === 'turn' ? ['phase', 'due_at', 'branch'] : [];
    const named = [...own.filter((column) => column !== 'job' || !isOfJob(table)), ...added];
    const cells = named.map((column) => cell(column, (columns[column] ?? 'text').replace('?', '')));
    const [owner, id, join] = isOfJob(table)
      ? ['job', 'j.id', `join ${into}jobs j on j.public_id = s.row ->> 'job' and j.project = $1`]
      : ['project', 'cast($1 as int)', ''];
    return `insert into ${into}${name} (${[owner, ...named].join(', ')})
      select ${[id, ...cells].join(', ')} from staged s ${join} where s.type = '${archive.type}' order by s.place`;
  });
  return [
    ...inserts,
    `update ${into}jobs set last_event = (select coalesce(max(e.number), 0) from ${into}events e where e.job = jobs.id)
     where project = $1`,
    `update ${into}turns set next_message = (select coalesce(max(m.position) + 1, 0) from ${into}messages m
       where m.job = turns.job and m.turn = turns.number)
     where job in (select id from ${into}jobs where project = $1)`,
  ];
}
