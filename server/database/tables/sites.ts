import { table } from './table.ts';

export const siteLooks = table('site_looks', {
  columns: { project: 'int', host: 'text', due_at: 'bigint', fetched_at: 'bigint?', trouble: 'text' },
  key: ['project'],
  references: { project: 'projects' },
});

export const robots = table('robots', {
  columns: { project: 'int', known_at: 'bigint', host: 'text', status: 'text', text: 'text' },
  references: { project: 'projects' },
  indexes: ['known_at'],
  sqlite: { columns: { id: 'int' }, key: ['id'], indexes: ['unique project, known_at'] },
  postgres: { key: ['project', 'known_at'] },
});

export const sitemaps = table('sitemaps', {
  columns: { project: 'int', host: 'text', fetched_at: 'bigint', pages: 'text' },
  key: ['project'],
  references: { project: 'projects' },
});

export const marks = table('marks', {
  columns: {
    project: 'int',
    id: 'text',
    day: 'int',
    kind: 'text',
    text: 'text',
    touched: 'text',
    url: 'text?',
    created_at: 'bigint',
  },
  key: ['project', 'id'],
  references: { project: 'projects' },
  indexes: ['project, url where url is not null'],
  archive: {
    type: 'mark',
    order: 't.day, t.id',
    fields: {
      id: 'id',
      day: 'day:date',
      kind: 'kind',
      text: 'text',
      touched: 'touched:json',
      url: 'url',
      createdAt: 'created_at',
    },
  },
});

export const ruleDays = table('rule_days', {
  columns: { project: 'int', day: 'int', version: 'int' },
  key: ['project', 'day', 'version'],
  references: { project: 'projects' },
  archive: { type: 'ruleDay', order: 't.day, t.version', fields: { day: 'day:date', version: 'version' } },
});

export const searchNumbers = table('search_numbers', {
  columns: {
    project: 'int',
    tool: 'text',
    kind: 'text',
    first_day: 'int',
    last_day: 'int',
    name: 'text',
    clicks: 'bigint',
    impressions: 'bigint',
    positions: 'bigint?',
    citations: 'bigint',
    pages: 'bigint?',
  },
  key: ['project', 'tool', 'kind', 'last_day', 'first_day', 'name'],
  references: { project: 'projects' },
  archive: {
    type: 'searchNumbers',
    order: 't.tool, t.kind, t.last_day, t.first_day, t.name',
    fields: {
      tool: 'tool',
      of: 'kind',
      from: 'first_day:date',
      to: 'last_day:date',
      name: 'name',
      clicks: 'clicks',
      impressions: 'impressions',
      positions: 'positions',
      citations: 'citations',
      pages: 'pages',
    },
  },
});
