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

/** Annotations; `touched` are the affected paths. Databases, and nodes of an older version, have it under this name. */
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
    fields: 'id, day:date, kind, text, touched:json, url, createdAt',
  },
});

export const savedViews = table('saved_views', {
  columns: { project: 'int', id: 'text', name: 'text', shows: 'text', created_at: 'bigint' },
  key: ['project', 'id'],
  references: { project: 'projects' },
  archive: { type: 'savedView', order: 't.name, t.id', fields: 'id, name, shows:json, createdAt' },
});

export const faults = table('faults', {
  columns: {
    project: 'int',
    id: 'text',
    kind: 'text',
    path: 'text',
    evidence: 'text',
    job: 'text?',
    assignee: 'text?',
    dismissed_at: 'bigint?',
    dismissed_by: 'text?',
  },
  key: ['project', 'id'],
  references: { project: 'projects' },
  archive: {
    type: 'fault',
    order: 't.id',
    fields: 'id, kind, path, evidence, job, assignee, dismissedAt, dismissedBy',
  },
});

export const ruleDays = table('rule_days', {
  columns: { project: 'int', day: 'int', version: 'int' },
  key: ['project', 'day', 'version'],
  references: { project: 'projects' },
  archive: { type: 'ruleDay', order: 't.day, t.version', fields: 'day:date, version' },
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
    fields:
      'tool, of=kind, from=first_day:date, to=last_day:date, name, clicks, impressions, positions, citations, pages',
  },
});
