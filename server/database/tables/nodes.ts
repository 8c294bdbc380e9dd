import { table } from './table.ts';

export const receipts = table('receipts', {
  columns: { project: 'int', key: 'text', request_hash: 'text', dropped: 'text', at: 'bigint' },
  key: ['project', 'key'],
  // Hashes that people can be tried out on.
  copied: 'with visitors',
  references: { project: 'projects' },
  indexes: ['at'],
});

export const secretKey = table('secret_key', {
  engine: 'postgres',
  columns: { id: 'int', instance: 'text' },
  key: ['id'],
});

export const guesses = table('guesses', {
  engine: 'postgres',
  columns: { network: 'text', count: 'int', at: 'bigint' },
  key: ['network'],
});

export const knownNetworks = table('known_networks', {
  engine: 'postgres',
  columns: { network: 'text', at: 'bigint' },
  key: ['network'],
});

export const pairs = table('pairs', {
  engine: 'postgres',
  columns: { view: 'text', balance: 'int', at: 'bigint' },
  key: ['view'],
  indexes: ['at'],
});

export const nonces = table('nonces', {
  engine: 'postgres',
  columns: { nonce: 'text', at: 'bigint' },
  key: ['nonce'],
  indexes: ['at'],
});

export const recent = table('recent', {
  engine: 'postgres',
  columns: { turn: 'smallint', project: 'int', visitor: 'bigint', kind: 'smallint', at: 'bigint' },
  belongs: { project: 'projects' },
  key: ['turn', 'project', 'visitor', 'kind'],
  postgres: { owned: true },
});

export const rangeCopies = table('range_copies', {
  engine: 'postgres',
  columns: { feed: 'text', as_of: 'bigint', text: 'text' },
  key: ['feed'],
});

export const rangeRefresh = table('range_refresh', {
  engine: 'postgres',
  columns: { node: 'text', until: 'bigint' },
});

export const moving = table('moving', {
  engine: 'postgres',
  columns: {},
  postgres: { columns: { begun_at: 'timestamptz' } },
});

export const headcountSchema = table('headcount_schema', {
  engine: 'postgres',
  columns: { version: 'int', functions: 'text?' },
  postgres: { owned: true },
});
