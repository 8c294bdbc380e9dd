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
  | 'span'
  | 'reason'
  | 'family';

export interface Cell {
  /** Of a row of the report. */
  field: string;
  as: CellKind;
}

export interface NumberCell extends Cell {
  /** A key of the dashboard's words for columns. */
  title: string;
  /** It has no column where no row has it. */
  isRare?: boolean;
  /** Whom it counts, where these may not have been measured. */
  of?: 'human' | 'ai';
}

/** A choice that a panel can be limited to. */
export interface Choice {
  /** Of the report's query. */
  parameter: string;
  /** Where the choices are: a route below the project's, the field of its rows, and the name in a row. */
  report: string;
  field: string;
  name: string;
  /** The rows then, and their query. */
  by?: { head: NumberCell; query: Readonly<Record<string, string>> };
}

/** A report as a table: the names of its rows, further columns, and numbers. */
export interface Panel {
  /** The pages of the dashboard that it is on, in this order; without one, last. */
  pages: readonly ('ai' | 'search' | 'fix' | 'measurement')[];
  order?: number;
  /** Names of the panels where a report has several, and their queries. */
  name?: string;
  query?: Readonly<Record<string, string>>;
  head: NumberCell;
  beside?: readonly Cell[];
  /** Its rows are named by their head and all that stands beside it, and say how they changed. */
  isCompared?: true;
  numbers: readonly NumberCell[];
  /** The number that bars are drawn by. */
  bar?: string;
  /** Whom it counts, or that each row says so; AI where nothing is said. */
  barOf?: 'human' | 'dropped' | 'kind';
  hasSearch?: boolean;
  /** A matrix: its values are the columns, with the only number of the panel in each. */
  across?: Cell;
  /** Rows with the same head are one, which adds up their numbers and names all that stands beside them. */
  isGathered?: true;
  choice?: Choice;
  /** It is about the days up to today, whatever days are looked at. */
  isOfNow?: boolean;
  /** Actions for a row. */
  action?: 'effect';
}

/** The filters of a report: one, or several together. */
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
  /** Of a file, by the names of the fields of a row (replies.ts). */
  columns?: readonly string[];
  /** The method of the store that reads its rows as they are answered; missing: server/analytics/reports.ts says how. */
  statement?: string;
  /** Missing: it is of the whole site. */
  filters?: Limits;
  /** It also takes any of `combinedFilters` together, and several values of each. */
  combines?: boolean;
  /** Whether its counts, or some of them, are visitors. */
  countsVisitors?: boolean;
  /** Whether the reply says what could be counted. */
  hasMeasured?: boolean;
  /** Whether its rows say what their bytes cost. */
  hasCost?: boolean;
  /** Whether its rows can be those alone that people have nothing of. */
  takesPeople?: true;
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
