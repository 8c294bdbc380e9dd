import { table } from './table.ts';

export const logs = table('logs', {
  columns: {
    id: 'int',
    project: 'int',
    head_length: 'int',
    head_hash: 'bytea',
    bytes: 'bigint',
    lines: 'bigint',
    name: 'text',
    counted_at: 'bigint?',
    undone_at: 'bigint?',
  },
  key: ['id'],
  references: { project: 'projects' },
  indexes: ['project'],
  archive: {
    type: 'log',
    order: 't.head_hash, t.head_length',
    fields: 'headLength, headHash:hex, bytes, lines',
  },
});

export const importedDays = table('imported_days', {
  columns: { project: 'int', day: 'int', human_views: 'bigint', ai_views: 'bigint', last_at: 'bigint' },
  key: ['project', 'day'],
  references: { project: 'projects' },
  archive: {
    type: 'importedDay',
    order: 't.day',
    fields: 'day:date, humanViews, aiViews, lastAt',
  },
});

export const openLines = table('open_lines', {
  columns: { log: 'int', chunk: 'int', bits: 'bytea' },
  key: ['log', 'chunk'],
  references: { log: 'logs' },
});

export const logDays = table('log_days', {
  columns: {
    id: 'bigint',
    log: 'int',
    day: 'int',
    human_views: 'bigint',
    ai_views: 'bigint',
    last_at: 'bigint',
    sums: 'bytea',
    besides: 'text',
    visitors: 'text?',
    day_id: 'int?',
  },
  key: ['id'],
  references: { log: 'logs' },
  indexes: ['log, day', 'day_id where day_id is not null'],
  visitorColumns: ['visitors', 'day_id'],
  isLarge: true,
});
