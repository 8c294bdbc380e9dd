import type { Request } from 'express';
import type { z } from 'zod';
import type { ClaimCheck } from '../../shared/replies/analytics.ts';
import type { FilterName } from '../../shared/reports/pairs.ts';
import type { AnalyticsStore } from '../store/counts/analytics.ts';
import type { CountQuery } from '../store/counts/analytics-store.ts';
import type { Cell } from './csv.ts';

/** What a report can be limited to: one, or several together. */
export type Limits = readonly (readonly FilterName[])[];

type Query = Omit<CountQuery, 'dimension' | 'measure'>;
export type Row = Record<string, Cell>;

export interface ReportRows {
  /** What stands before the rows. */
  head: object;
  /** One after the other, as a file may have many. */
  rows: Iterable<Row>;
  hasMore: boolean;
}

/** Why the claim of an AI client is no more than that. */
type Claims = (client: string) => ClaimCheck;

/** Rows of counts by what they are of. */
export interface Report {
  /** The route, below the project's. */
  path: string;
  summary: string;
  /** What stands before the rows, the rows under their name, and `hasMore`. */
  reply: () => Promise<z.ZodType<object>>;
  /** The field of the reply that holds the rows. */
  field: string;
  /** Of a file, by the names of the fields of a row. */
  columns: readonly string[];
  /** What it can be limited to, one or several together. */
  limits: Limits;
  /** Whether its counts, or some of them, are visitors. */
  countsVisitors: boolean;
  /** Whether the reply says what could be counted. */
  tellsMeasured?: true;
  /** That its rows have no names to look for. */
  takesSearch?: false;
  /** Whether its rows say what their bytes cost. */
  tellsCost?: true;
  read(store: AnalyticsStore, query: Query, params: Request['params'], claims: Claims): Promise<ReportRows>;
}

/** Schemas of replies: only who describes the API needs them. */
export const replies = () => import('../../shared/replies/analytics.ts');
