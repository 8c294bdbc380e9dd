import type { FilterName } from '../../../shared/reports/pairs.ts';
import type { t } from '../../texts/declared.ts';

/** How a value is written. */
export type CellKind =
  | 'text'
  | 'client'
  | 'source'
  | 'country'
  | 'device'
  | 'page'
  | 'path'
  | 'status'
  | 'operator'
  | 'form'
  | 'network'
  | 'way'
  | 'kind'
  | 'names'
  | 'cap'
  | 'count'
  | 'mean'
  | 'bytes'
  | 'price'
  | 'day'
  | 'changed'
  | 'days'
  | 'ago'
  | 'tool'
  | 'span';

interface Cell {
  /** Of a row of the report. */
  field: string;
  as: CellKind;
}

interface NumberCell extends Cell {
  title: keyof typeof t.columns;
  /** It has no column where no row has it. */
  isRare?: boolean;
  /** Whom it counts, where these may not have been measured. */
  of?: 'human' | 'ai';
}

/** Something that a report can be of, instead of all. */
export interface Choice {
  /** Of the report's query. */
  parameter: keyof typeof t.choices;
  /** Where the choices are: a route below the project's, the field of its rows, and the name in a row. */
  report: string;
  field: string;
  name: string;
  /** What the rows are of then, and how that is asked for. */
  by?: { head: NumberCell; query: Readonly<Record<string, string>> };
}

/** A report as a table: what its rows are of, what stands beside that, and numbers. */
export interface ReportRule {
  /** The route, below the project's, and the field of the reply that has the rows. */
  report: keyof typeof t.reports;
  /** Where several tables are of one route, or it is called otherwise; and what each asks for. */
  route?: string;
  query?: Readonly<Record<string, string>>;
  field: string;
  /** What the API can limit it to, each alone or all together; nothing where it is of the whole site alone. */
  takes?: readonly FilterName[];
  head: NumberCell;
  beside: readonly Cell[];
  numbers: readonly NumberCell[];
  /** The number that bars are drawn by. */
  bar?: string;
  /** Whom it counts, or that each row says so; AI where nothing is said. */
  barOf?: 'human' | 'kind';
  hasSearch?: boolean;
  choice?: Choice;
  /** It is about the days up to today, whatever days are looked at. */
  isOfNow?: boolean;
  /** What can be done about a row. */
  action?: 'job' | 'effect';
}
