import type { Request } from 'express';
import type { Context } from '../context.ts';
import { findClient } from '../identity/catalogue.ts';
import type { CountQuery, Dimension, Measure } from '../store/analytics-store.ts';
import type { Store } from '../store/store.ts';
import type { Cell } from './csv.ts';

type Query = Omit<CountQuery, 'dimension' | 'measure'>;
type Row = Record<string, Cell>;

export interface Reading {
  /** What stands before the rows. */
  head: object;
  /** One after the other, as a file may have many. */
  rows: Iterable<Row>;
  hasMore: boolean;
}

/** Rows of counts by what they are of. */
export interface Report {
  /** The route, below the project's. */
  path: string;
  /** The field of the reply that holds the rows. */
  field: string;
  /** Of a file, by the names of the fields of a row. */
  columns: readonly string[];
  /** Whether its counts, or some of them, are visitors. */
  countsVisitors: boolean;
  read(query: Query, req: Request): Promise<Reading>;
}

export function createReports({ store }: Context): Report[] {
  return [
    countReport(store, 'visitors', 'path', 'visitors'),
    countReport(store, 'views', 'path', 'views'),
    countReport(store, 'sources', 'source', 'visitors'),
    countReport(store, 'countries', 'country', 'visitors'),
    countReport(store, 'devices', 'device', 'visitors'),
    countReport(store, 'browsers', 'browser', 'visitors'),
    countReport(store, 'systems', 'system', 'visitors'),
    clientReport(store),
    clientPathReport(store),
    droppedReport(store),
  ];
}

function countReport(store: Store, field: string, dimension: Dimension, measure: Measure): Report {
  return {
    path: field,
    field,
    columns: [dimension, 'human', 'ai', 'total'],
    countsVisitors: measure === 'visitors',
    read: async (query) => {
      const { totals, rows, hasMore } = await store.readCounts({ ...query, dimension, measure });
      const named = rows.values().map(({ name, ...count }) => ({ [dimension]: name, ...count }));
      return { head: { totals }, rows: named, hasMore };
    },
  };
}

function clientReport(store: Store): Report {
  return {
    path: 'ai-clients',
    field: 'clients',
    columns: ['client', 'operator', 'purpose', 'proof', 'visitors', 'views'],
    countsVisitors: true,
    read: async (query) => {
      const { rows, hasMore } = await store.readClients(query);
      const clients = rows.values().map(({ name, proof, visitors, views }) => {
        // A client that has left the catalogue keeps its counts.
        const { operator = null, purpose = null } = findClient(name) ?? {};
        return { client: name, operator, purpose, proof, visitors, views };
      });
      return { head: {}, rows: clients, hasMore };
    },
  };
}

function clientPathReport(store: Store): Report {
  return {
    path: 'ai-clients/:client/paths',
    field: 'paths',
    columns: ['path', 'visitors', 'views'],
    countsVisitors: true,
    read: async (query, req) => {
      const { rows, hasMore } = await store.readClientPaths(query, String(req.params.client));
      return { head: {}, rows: rows.values().map((row) => ({ ...row })), hasMore };
    },
  };
}

function droppedReport(store: Store): Report {
  return {
    path: 'dropped',
    field: 'dropped',
    columns: ['reason', 'family', 'hits'],
    countsVisitors: false,
    read: async (query) => {
      const { rows, hasMore } = await store.readDropped(query);
      const dropped = rows.values().map((row) => ({ ...row, family: row.family || null }));
      return { head: {}, rows: dropped, hasMore };
    },
  };
}
