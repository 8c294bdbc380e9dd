import { z } from 'zod';
import {
  type ArchiveRecord,
  archiveRecord,
  type RecordType,
} from '../../../shared/project/project-archive.ts';
import { reportedTallies, type Tally, tallies } from '../../../shared/reports/tallies.ts';
import { sightedTallies } from '../../counting/sighting.ts';
import { nameOf, numberOf } from '../../counting/what.ts';
import type { Dialect } from '../../database/sql.ts';
import type { Archived, Table } from '../../database/tables/table.ts';
import { tables } from '../../database/tables/tables.ts';
import { sharedSightings } from '../counts/reports/tallies.ts';
import { joinRecord } from '../jobs/job-rows.ts';

type Fields = Record<string, unknown>;
/** A row as it waits to be taken in: by its columns; bytes as hexadecimal digits. */
type Row = Record<string, unknown>;

/** A table of which a project's archive has all that is the project's. */
export type ArchivedTable = Table & { archive: Archived };

/** What records hold, by their types, as closely as it is said somewhere; in the order in which they stand in an archive. */
const schemas = new Map<string, z.ZodObject>(
  archiveRecord.options.map((schema) => [schema.shape.type.value, schema]),
);

const isArchived = (table: Table): table is ArchivedTable => table.archive !== undefined;
const places = [...schemas.keys()];
const placeOf = ({ archive }: ArchivedTable) =>
  (places.indexOf(archive.type) + places.length) % places.length;
export const archivedTables: readonly ArchivedTable[] = tables
  .filter(isArchived)
  .sort((a, b) => placeOf(a) - placeOf(b));

for (const { archive, columns } of archivedTables) {
  const known = schemas.get(archive.type) ?? z.object({ type: z.literal(archive.type) });
  const others = Object.entries(archive.fields).filter(([field]) => !(field in known.shape));
  const more = others.map(([field, text]) => {
    const { column, form } = parse(text);
    return [field, schemaOf(form ?? columns[column]?.replace('?', ''), columns[column]?.endsWith('?'))];
  });
  schemas.set(archive.type, known.extend(Object.fromEntries(more)));
}

/** Of a field that only its column declares; earlier versions may have been without it. */
function schemaOf(kind: string | undefined, isNullable = false): z.ZodType {
  const numbers = ['int', 'smallint', 'bigint'];
  const text = kind === 'date' ? z.iso.date() : z.string();
  const schema = kind === 'json' ? z.json() : kind === 'boolean' ? z.boolean() : text;
  const exact = numbers.includes(kind ?? '') ? z.int() : schema;
  return isNullable ? exact.nullable().optional() : exact.optional();
}

/** A line of an archive. @throws ZodError */
export function parseRecord(value: unknown): z.ZodSafeParseResult<ArchiveRecord> {
  const { type } = z.object({ type: z.string() }).catch({ type: '' }).parse(value);
  return (schemas.get(type) ?? archiveRecord).safeParse(value) as z.ZodSafeParseResult<ArchiveRecord>;
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

/** A field as it is declared. */
function parse(field: string): { column: string; form: string | undefined } {
  const [column = '', form] = field.split(':');
  return { column, form };
}

/** Of a job's row, the job by what it is called elsewhere. */
const isOfJob = ({ references }: Table) => references?.job === 'jobs';

interface Selecting {
  dialect: Dialect;
  /** Whether a row of sums, by the alias `t`, is the project's; else a row is by its number, which is `$1`. */
  isOwn: string;
  /** Selects `day`, `what`, `client`, `name` and the sums of all counts, in order. */
  counts: string;
}

/** What is read of one kind of record. */
interface Section {
  type: ArchiveRecord['type'];
  sql: string;
  /** It asks by `isOwn`. */
  isOfSums: boolean;
  toRecord(row: Row): ArchiveRecord;
}

/** Each selects the fields of one kind of record, in an order that does not depend on the installation. */
export function archiveSections({ dialect, isOwn, counts }: Selecting): Section[] {
  return [
    {
      type: 'project',
      sql: `select 3 as format, public_id as id, created_at as "createdAt", settings, sealed_through as "sealedThrough"
        from projects where id = $1`,
      isOfSums: false,
      toRecord: ({ settings, sealedThrough, ...row }) => {
        const read = typeof settings === 'string' ? JSON.parse(settings) : settings;
        return {
          type: 'project',
          ...row,
          settings: read,
          sealedThrough: written(sealedThrough, 'date'),
        } as ArchiveRecord;
      },
    },
    {
      type: 'count',
      sql: counts,
      isOfSums: true,
      toRecord: ({ day, what, ...row }) =>
        ({ type: 'count', day: written(day, 'date'), of: written(what, 'what'), ...row }) as ArchiveRecord,
    },
    ...archivedTables.map((table) => ({
      type: table.archive.type as RecordType,
      sql: selectArchived(table, dialect, isOwn),
      isOfSums: table.sums !== undefined,
      toRecord: (row: Row) => toRecord(table, row),
    })),
  ];
}

/** Selects the rows of a project with the names of their fields. */
function selectArchived(table: ArchivedTable, dialect: Dialect, isOwn: string): string {
  const { name, sums = [], archive } = table;
  const keys: string[] = [];
  const selected = Object.entries(archive.fields).map(([field, text]) => {
    const { column } = parse(text);
    if (column === 'job' && isOfJob(table)) return `j.public_id as "${field}"`;
    if (sums.includes(column)) return `sum(t.${column}) as "${field}"`;
    keys.push(`t.${column}`);
    const value = table.columns[column] === 'text[]' ? dialect.listAsJson(`t.${column}`) : `t.${column}`;
    return `${value} as "${field}"`;
  });
  const [join, project] = isOfJob(table) ? ['join jobs j on j.id = t.job', 'j.project'] : ['', 't.project'];
  const isOfProject = sums.length > 0 ? isOwn : `${project} = $1`;
  const rows = name === 'tallies' ? `${withoutVisitors(isOwn)} t` : `${name} t ${join} where ${isOfProject}`;
  return `select ${selected.join(', ')} from ${rows} ${sums.length > 0 ? `group by ${keys.join(', ')}` : ''}
    order by ${archive.order}`;
}

/** Visitors stay here: of what they were seen on, what is reported of it leaves. */
const withoutVisitors = (isOwn: string) => `(
  select day, tally, subject, name, hits, amount from tallies t where ${isOwn} and t.tally not in (${sightedTallies})
  union all
  select day, ${tallies.quoted.number}, subject, name, hits, amount
  from (${sharedSightings(`tallies t where ${isOwn} and t.tally in (${sightedTallies})`)}) s
)`;

/** @param row as `selectArchived` answers it */
function toRecord({ archive, columns }: ArchivedTable, row: Row): ArchiveRecord {
  const fields = Object.entries(archive.fields).map(([field, text]) => {
    const { column, form } = parse(text);
    return [field, written(row[field], form ?? columns[column]?.replace('?', ''))];
  });
  const record = Object.fromEntries(fields);
  return { type: archive.type, ...(special[archive.type]?.toRecord(record) ?? record) } as ArchiveRecord;
}

const tallyNames = new Map(reportedTallies.map((name) => [Number(tallies[name].number), name]));

function written(value: unknown, form: string | undefined): unknown {
  if (value === null) return value;
  if (form === 'json') return JSON.parse(String(value));
  if (form === 'date') return new Date(Number(value) * 86_400_000).toISOString().split('T')[0];
  if (form === 'time') return new Date(Number(value)).toISOString();
  if (form === 'what') return nameOf(Number(value));
  if (form === 'tally') return tallyNames.get(Number(value));
  if (form === 'boolean') return Boolean(value);
  return form === 'hex' || form === 'base64' ? Buffer.from(value as Uint8Array).toString(form) : value;
}

/** Undefined: the engine takes in such records by itself. */
export function toStaged(record: ArchiveRecord): { type: RecordType; row: Row } | undefined {
  const table = archivedTables.find(({ archive }) => archive.type === record.type);
  if (!table) return undefined;
  const fields: Fields = record;
  const cells = Object.entries(table.archive.fields).map(([field, text]) => {
    const { column, form } = parse(text);
    const type = table.columns[column] ?? '';
    return [column, fields[field] === undefined ? emptyOf(type) : read(fields[field], form)];
  });
  return { type: record.type, row: { ...Object.fromEntries(cells), ...special[record.type]?.toRow(fields) } };
}

/** What a column has where an earlier version exported none. */
function emptyOf(type: string): unknown {
  if (type.endsWith('?')) return null;
  return type === 'boolean' ? false : /^(small|big)?int$/.test(type) ? 0 : '';
}

function read(value: unknown, form: string | undefined): unknown {
  if (value === null) return null;
  if (form === 'json') return JSON.stringify(value);
  if (form === 'date') return Date.parse(String(value)) / 86_400_000;
  if (form === 'time') return Date.parse(String(value));
  if (form === 'what') return numberOf(String(value));
  if (form === 'tally') return tallies[value as Tally].number;
  if (form === 'base64') return Buffer.from(String(value), 'base64').toString('hex');
  return storable(value);
}

/** No text of PostgreSQL can hold U+0000, and no text of either half a character. */
export function storable<Value>(value: Value): Value | string {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\uFFFD') : value;
}

/** The words in which engines differ. */
interface Words {
  /** Before the names of tables that take records in. */
  into: string;
  /** A column of a staged row (`s.row`, JSON), by its type. */
  cell(column: string, type: string): string;
  /** What a row of sums has besides, of the project `$1`. */
  ofSums?: Readonly<Record<string, string>>;
}

/** Takes in what is staged in `staged (place, type, row)`, for the project with the number `$1`. */
export function takeIn({ into, cell, ofSums = {} }: Words): string[] {
  const inserts = archivedTables.map((table) => {
    const { name, archive, columns } = table;
    const own = Object.values(archive.fields).map((text) => parse(text).column);
    const added = archive.type === 'turn' ? ['phase', 'due_at', 'branch'] : [];
    const named = [...own.filter((column) => column !== 'job' || !isOfJob(table)), ...added];
    const cells = named.map((column) => cell(column, (columns[column] ?? 'text').replace('?', '')));
    const [owner, id, join] = isOfJob(table)
      ? ['job', 'j.id', `join ${into}jobs j on j.public_id = s.row ->> 'job' and j.project = $1`]
      : ['project', 'cast($1 as int)', ''];
    const besides = table.sums ? ofSums : {};
    return `insert into ${into}${name} (${[owner, ...Object.keys(besides), ...named].join(', ')})
      select ${[id, ...Object.values(besides), ...cells].join(', ')} from staged s ${join} where s.type = '${archive.type}' order by s.place`;
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
