import { z } from 'zod';
import {
  type ArchiveRecord,
  archiveRecord,
  type RecordType,
} from '../../../shared/project/project-archive.ts';
import { type Counter, counters, reportedCounters } from '../../../shared/reports/counters.ts';
import { visitorKeyCounters } from '../../counting/visitor-key.ts';
import { nameOf, numberOf } from '../../counting/what.ts';
import type { Dialect } from '../../database/sql.ts';
import { type Archived, numberTypes, parseType, type Table } from '../../database/tables/table.ts';
import { tables } from '../../database/tables/tables.ts';
import { sharedVisitorKeys } from '../counts/reports/counters.ts';
import { joinRecord } from '../jobs/job-rows.ts';
import type { ImportWords } from './archive-store.ts';

type Fields = Record<string, unknown>;
/** A row as it waits to be taken in: by its columns; bytes as hexadecimal digits. */
type Row = Record<string, unknown>;

/** A field of records, and the column that has it in rows. */
interface Field {
  field: string;
  column: string;
  /** What it has in records: the form that is declared, or else its type's. */
  form: string;
  type: string;
  isNullable: boolean;
}

/** A table of which a project's archive has all that is the project's. */
interface ArchivedTable extends Table {
  archive: Archived;
  fields: readonly Field[];
  /** Its rows are of a job, which records name by its public id. */
  isOfJob: boolean;
}

/** The fields of records by type, as far as they are declared, in the order of an archive. */
const schemas = new Map<string, z.ZodObject>(
  archiveRecord.options.map((schema) => [schema.shape.type.value, schema]),
);

const places = [...schemas.keys()];
const placeOf = ({ archive }: ArchivedTable) =>
  (places.indexOf(archive.type) + places.length) % places.length;
const archivedTables: readonly ArchivedTable[] = tables
  .flatMap((table) => {
    const { archive, references } = table;
    return archive
      ? { ...table, archive, isOfJob: references?.job === 'jobs', fields: parseFields(table, archive) }
      : [];
  })
  .sort((a, b) => placeOf(a) - placeOf(b));

function parseFields({ columns, references }: Table, { fields }: Archived): Field[] {
  return fields.split(', ').map((declared) => {
    const [named = '', form] = declared.split(':');
    const [field = '', column = field.replace(/[A-Z]/g, (upper) => `_${upper.toLowerCase()}`)] =
      named.split('=');
    const { type, isNullable } = parseType(columns[column]);
    const isJob = column === 'job' && references?.job === 'jobs';
    return { field, column, type, isNullable, form: isJob ? 'text' : (form ?? type) };
  });
}

for (const { archive, fields } of archivedTables) {
  const known: z.ZodObject = schemas.get(archive.type) ?? z.object({ type: z.literal(archive.type) });
  const declared = fields.map((one) => {
    return [one.field, withinBounds(known.shape[one.field] ?? schemaOf(one), one.form)];
  });
  schemas.set(archive.type, known.extend(Object.fromEntries(declared)));
}

/** Of a field that only its column declares; earlier versions may have been without it. */
function schemaOf({ form, isNullable }: Field): z.ZodType {
  return isNullable ? ofForm(form).nullish() : ofForm(form).optional();
}

function ofForm(form: string): z.ZodType {
  if (form.endsWith('[]')) return z.array(withinBounds(ofForm(form.slice(0, -2)), form.slice(0, -2)));
  if (form in numberTypes) return z.int();
  const others: Record<string, z.ZodType> = {
    ...{ boolean: z.boolean(), json: z.json(), date: z.iso.date(), time: z.iso.datetime() },
    ...{ hex: z.hex(), bytea: z.base64() },
  };
  return others[form] ?? z.string();
}

/** What a column of PostgreSQL has no room for is refused on SQLite, too: it could not be moved. */
function withinBounds(schema: z.ZodType, form: string): z.ZodType {
  const [least, most] = numberTypes[form as keyof typeof numberTypes] ?? [];
  if (least === undefined || most === undefined) return schema;
  return schema.refine(
    (value) => typeof value !== 'number' || (value >= least && value <= most),
    `is not between ${least} and ${most}`,
  );
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
  const { name, columns, sums = [], archive, fields, isOfJob } = table;
  const keys: string[] = [];
  const selected = fields.map(({ field, column, type }) => {
    if (column === 'job' && isOfJob) return `j.public_id as "${field}"`;
    if (sums.includes(column)) return `sum(t.${column}) as "${field}"`;
    // The driver of PostgreSQL would parse it.
    const plain = type === 'json' ? `cast(t.${column} as text)` : `t.${column}`;
    keys.push(plain);
    return `${type.endsWith('[]') ? dialect.listAsJson(plain) : plain} as "${field}"`;
  });
  const isOfProject = sums.length > 0 ? isOwn : `${columns.project ? 't' : 'j'}.project = $1`;
  const join = isOfJob ? 'left join jobs j on j.id = t.job' : '';
  const rows = name === 'tallies' ? `${withoutVisitors(isOwn)} t` : `${name} t ${join} where ${isOfProject}`;
  return `select ${selected.join(', ')} from ${rows} ${sums.length > 0 ? `group by ${keys.join(', ')}` : ''}
    order by ${archive.order}`;
}

/** Visitors are not exported; of their visitor keys only the reported counts are. */
const withoutVisitors = (isOwn: string) => `(
  select day, tally, subject, name, hits, amount from tallies t where ${isOwn} and t.tally not in (${visitorKeyCounters})
  union all
  select day, ${counters['text-fragments'].number}, subject, name, hits, amount
  from (${sharedVisitorKeys(`tallies t where ${isOwn} and t.tally in (${visitorKeyCounters})`)}) s
)`;

/** @param row as `selectArchived` answers it */
function toRecord({ archive, fields }: ArchivedTable, row: Row): ArchiveRecord {
  const record = Object.fromEntries(fields.map(({ field, form }) => [field, written(row[field], form)]));
  return { type: archive.type, ...(special[archive.type]?.toRecord(record) ?? record) } as ArchiveRecord;
}

const counterNames = new Map(reportedCounters.map((name) => [Number(counters[name].number), name]));

function written(value: unknown, form: string): unknown {
  if (value === null) return value;
  if (form === 'json' || form.endsWith('[]')) return JSON.parse(String(value));
  if (form === 'date') return new Date(Number(value) * 86_400_000).toISOString().split('T')[0];
  if (form === 'time') return new Date(Number(value)).toISOString();
  if (form === 'what') return nameOf(Number(value));
  if (form === 'counter') return counterNames.get(Number(value));
  if (form === 'boolean') return Boolean(value);
  const encoding = form === 'bytea' ? 'base64' : form === 'hex' ? 'hex' : undefined;
  return encoding ? Buffer.from(value as Uint8Array).toString(encoding) : value;
}

/** Undefined: the engine takes in such records by itself. */
export function toStaged(record: ArchiveRecord): { type: RecordType; row: Row } | undefined {
  const table = archivedTables.find(({ archive }) => archive.type === record.type);
  if (!table) return undefined;
  const given: Fields = record;
  const cells = table.fields.map((one) => {
    const value = given[one.field];
    return [one.column, value === undefined ? emptyOf(one) : read(value, one)];
  });
  return { type: record.type, row: { ...Object.fromEntries(cells), ...special[record.type]?.toRow(given) } };
}

/** What a column has where an earlier version exported none. */
function emptyOf({ type, isNullable }: Field): unknown {
  if (isNullable) return null;
  if (type === 'json') return 'null';
  if (type.endsWith('[]')) return [];
  return type === 'boolean' ? false : type in numberTypes ? 0 : '';
}

function read(value: unknown, { form, type, isNullable }: Field): unknown {
  if (value === null) return type === 'json' && !isNullable ? 'null' : null;
  if (form === 'json') return JSON.stringify(value);
  if (form === 'date') return Date.parse(String(value)) / 86_400_000;
  if (form === 'time') return Date.parse(String(value));
  if (form === 'what') return numberOf(String(value));
  if (form === 'counter') return counters[value as Counter].number;
  if (form === 'bytea') return Buffer.from(String(value), 'base64').toString('hex');
  return Array.isArray(value) ? value.map(storable) : storable(value);
}

/** No text of PostgreSQL can hold U+0000, and no text of either half a character. */
export function storable<Value>(value: Value): Value | string {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\uFFFD') : value;
}

/** Takes in what is staged in `staged (place, type, row)`, for the project with the number `$1`. */
export function takeIn({ cell, ofSums }: Pick<ImportWords, 'cell' | 'ofSums'>): string[] {
  const inserts = archivedTables.map(({ name, archive, columns, sums, fields, isOfJob }) => {
    const own = fields.map(({ column }) => column).filter((column) => column !== 'job' || !isOfJob);
    const added = archive.type === 'turn' ? ['phase', 'due_at', 'branch'] : [];
    const cells = [...own, ...added].map((column) => [column, cell(column, parseType(columns[column]).type)]);
    const values = {
      ...(columns.project && { project: 'cast($1 as int)' }),
      ...(isOfJob && { job: 'j.id' }),
      ...(sums && ofSums),
      ...Object.fromEntries(cells),
    };
    const isOptional = isOfJob && parseType(columns.job).isNullable;
    const join = isOfJob
      ? `${isOptional ? 'left' : ''} join jobs j on j.public_id = s.row ->> 'job' and j.project = $1`
      : '';
    return `insert into ${name} (${Object.keys(values).join(', ')})
      select ${Object.values(values).join(', ')} from staged s ${join} where s.type = '${archive.type}' order by s.place`;
  });
  return [
    ...inserts,
    `update jobs set last_event = (select coalesce(max(e.number), 0) from events e where e.job = jobs.id)
     where project = $1`,
    `update turns set next_message = (select coalesce(max(m.position) + 1, 0) from messages m
       where m.job = turns.job and m.turn = turns.number)
     where job in (select id from jobs where project = $1)`,
  ];
}
