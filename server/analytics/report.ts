import type { Request } from 'express';
import type { Context } from '../context.ts';
import { findClient } from '../identity/catalogue.ts';
import type { CountQuery, Dimension, Measure, Store } from '../store/store.ts';
import type { Cell } from './csv.ts';

type Query = Omit<CountQuery, 'dimension' | 'measure'>;

interface Reading {
  /** The whole reply. */
  body: object;
  /** The same as a table, by `columns`. */
  rows: Cell[][];
  hasMore: boolean;
}

/** Rows of counts by what they are of. */
export interface Report {
  /** The route, below the project's. */
  path: string;
  columns: readonly string[];
  /** Whether its counts, or some of them, are visitors. */
  countsVisitors: boolean;
  read(query: Query, req: Request): Promise<Reading>;
}

type Row = Record<string, Cell>;

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

/** `field` of the reply holds the rows; each row names its `dimension`. */
function countReport(store: Store, field: string, dimension: Dimension, measure: Measure): Report {
  const columns = [dimension, 'human', 'ai', 'total'];
  return {
    path: field,
    columns,
    countsVisitors: measure === 'visitors',
    read: async (query) => {
      const { totals, rows, hasMore } = await store.readCounts({ ...query, dimension, measure });
      const named = rows.map(({ name, ...count }): Row => ({ [dimension]: name, ...count }));
      return { body: { totals, [field]: named, hasMore }, rows: toTable(columns, named), hasMore };
    },
  };
}

function clientReport(store: Store): Report {
  const columns = ['client', 'operator', 'purpose', 'proof', 'visitors', 'views'];
  return {
    path: 'ai-clients',
    columns,
    countsVisitors: true,
    read: async (query) => {
      const { rows, hasMore } = await store.readClients(query);
      const clients = rows.map(({ name, proof, visitors, views }): Row => {
        // A client that has left the catalogue keeps its counts.
        const { operator = null, purpose = null } = findClient(name) ?? {};
        return { client: name, operator, purpose, proof, visitors, views };
      });
      return { body: { clients, hasMore }, rows: toTable(columns, clients), hasMore };
    },
  };
}

function clientPathReport(store: Store): Report {
  const columns = ['path', 'visitors', 'views'];
  return {
    path: 'ai-clients/:client/paths',
    columns,
    countsVisitors: true,
    read: async (query, req) => {
      const { rows, hasMore } = await store.readClientPaths(query, String(req.params.client));
      return { body: { paths: rows, hasMore }, rows: toTable(columns, rows), hasMore };
    },
  };
}

function droppedReport(store: Store): Report {
  const columns = ['reason', 'family', 'hits'];
  return {
    path: 'dropped',
    columns,
    countsVisitors: false,
    read: async (query) => {
      const { rows, hasMore } = await store.readDropped(query);
      const dropped = rows.map((row) => ({ ...row, family: row.family || null }));
      return { body: { dropped, hasMore }, rows: toTable(columns, dropped), hasMore };
    },
  };
}

function toTable(columns: readonly string[], rows: readonly object[]): Cell[][] {
  return rows.map((row) => columns.map((column) => (row as Row)[column] ?? null));
}
