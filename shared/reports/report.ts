import type { Tool } from './dimensions.ts';
import type { FilterName } from './pairs.ts';

/** How a value is written in a panel. */
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

export interface Cell {
  /** Of a row of the report. */
  field: string;
  as: CellKind;
}

interface NumberCell extends Cell {
  /** A key of the dashboard's words for columns. */
  title: string;
  /** It has no column where no row has it. */
  isRare?: boolean;
  /** Whom it counts, where these may not have been measured. */
  of?: 'human' | 'ai';
}

/** Something that a panel can be of, instead of all. */
export interface Choice {
  /** Of the report's query. */
  parameter: string;
  /** Where the choices are: a route below the project's, the field of its rows, and the name in a row. */
  report: string;
  field: string;
  name: string;
  /** What the rows are of then, and how that is asked for. */
  by?: { head: NumberCell; query: Readonly<Record<string, string>> };
}

/** A report as a table: what its rows are of, what stands beside that, and numbers. */
export interface Panel {
  /** Those of one group share a place on the page, in this order; without one, last. */
  group: 'ai' | 'landings' | 'searches' | 'trouble' | 'work' | 'ways';
  order?: number;
  /** What is called otherwise than the report, as there are several of it; and what each asks for. */
  name?: string;
  query?: Readonly<Record<string, string>>;
  head: NumberCell;
  beside?: readonly Cell[];
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

/** What a report can be limited to: one, or several together. */
export type Limits = readonly (readonly FilterName[])[];

/**
 * What is counted under a route below the project's, by which it is called: all that the API, files, the Model Context Protocol,
 * shared pages and the dashboard say of it.
 */
export interface Report {
  summary: string;
  description?: string;
  /** The field of the reply that holds the rows; none: it has no rows, or they are of days. */
  field?: string;
  /** Of a file, by the names of the fields of a row (replies/reports.ts). */
  columns?: readonly string[];
  /** The method of the store that reads its rows as they are answered; missing: server/analytics/reports.ts says how. */
  statement?: string;
  /** Missing: it is of the whole site. */
  filters?: Limits;
  /** Whether its counts, or some of them, are visitors. */
  countsVisitors?: boolean;
  /** Whether the reply says what could be counted. */
  tellsMeasured?: boolean;
  /** Whether its rows say what their bytes cost. */
  tellsCost?: boolean;
  /** False: its rows have no names to look for. */
  takesSearch?: false;
  /** It is for the site's owner, and on no shared page: it shows how the project is set up, attacks, or what does not work. */
  isPrivate?: true;
  tool?: Tool;
  panels?: readonly Panel[];
}

export type Reports = Readonly<Record<string, Report>>;

/** As the description of the API names it. */
export const nameOf = (path: string) => path.replace(/:(\w+)/g, '{$1}');

/** The end of the name of its operation. */
export const operationOf = (path: string) => path.replace(/\/:\w+\//, '.');
