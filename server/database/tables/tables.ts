import * as accounts from './accounts.ts';
import * as automations from './automations.ts';
import * as counts from './counts.ts';
import * as imports from './imports.ts';
import * as jobs from './jobs.ts';
import * as nodes from './nodes.ts';
import * as outbox from './outbox.ts';
import * as projects from './projects.ts';
import * as sites from './sites.ts';
import { parseType, type Table } from './table.ts';

/** All tables; a table comes after those that it refers to. */
export const tables: readonly Table[] = inOrder([
  ...Object.values(projects),
  ...Object.values(accounts),
  ...Object.values(counts),
  ...Object.values(imports),
  ...Object.values(jobs),
  ...Object.values(sites),
  ...Object.values(outbox),
  ...Object.values(automations),
  ...Object.values(nodes),
]);

function inOrder(all: readonly Table[]): Table[] {
  const done = new Set<Table>();
  const add = (table: Table) => {
    for (const name of Object.values({ ...table.references, ...table.sqlite?.references }))
      for (const parent of all) if (parent.name === name) add(parent);
    done.add(table);
  };
  all.forEach(add);
  return [...done];
}

export const declared = (name: string) => tables.find((table) => table.name === name);

/** What an engine has of another table's rows, by the column that names these, and does not remove with them. */
export function belongingTo(parent: 'projects' | 'days', engine: 'sqlite' | 'postgres'): Table[] {
  return tables.filter(
    (table) =>
      (table.engine ?? engine) === engine &&
      Object.values({ ...table.belongs, ...table[engine]?.belongs }).includes(parent),
  );
}

/** Rows of days, by the day's own row. */
export const tablesOfDays = tables.filter((table) =>
  [table.references, table.belongs, table.sqlite?.references].some((all) => all?.day === 'days'),
);

/** Those that a move takes along. */
export const movedTables = tables.filter(
  ({ engine, staysBecause }) => engine === undefined && staysBecause === undefined,
);

/** The columns that it takes of one, by their types. */
export function movedColumns(name: string): Readonly<Record<string, string>> {
  const { columns = {}, postgres } = declared(name) ?? {};
  const more = Object.keys(postgres?.moves ?? {}).map((column) => [column, postgres?.columns?.[column]]);
  const all: [string, string?][] = [...Object.entries(columns), ...(more as [string, string?][])];
  return Object.fromEntries(all.map(([column, type]) => [column, parseType(type).type]));
}

/** The rows that it takes of one, as SQL: nothing that is of days that have ended, which is of no use any more. */
export function movedRows(name: string): string {
  const isActive = 'in (select id from days where salt is not null)';
  const { visitorColumns = [] } = declared(name) ?? {};
  if (name === 'days') return '(select * from days where salt is not null)';
  if (visitorColumns.length > 0) {
    const selected = Object.keys(movedColumns(name)).map((column) =>
      visitorColumns.includes(column)
        ? `case when day_id ${isActive} then ${column} end as ${column}`
        : column,
    );
    return `(select ${selected} from ${name})`;
  }
  return tablesOfDays.some((table) => table.name === name)
    ? `(select * from ${name} where day ${isActive})`
    : name;
}

/** How many fit into memory. */
export const rowsAtATime = (name: string) => (declared(name)?.isLarge ? 20 : 5_000);
