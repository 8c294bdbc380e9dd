import { table } from './table.ts';

export const days = table('days', {
  columns: { id: 'int', project: 'int', day: 'int', salt: 'bytea?', forget_at: 'bigint?' },
  key: ['id'],
  references: { project: 'projects' },
  indexes: ['unique project, day'],
  postgres: { columns: { bin: 'int', buckets: 'int' }, indexes: ['bin'] },
});

export const names = table('names', {
  nameColumns: ['id', 'parent'],
  columns: { project: 'int', id: 'int', what: 'smallint', parent: 'int', text: 'text' },
  sqlite: {
    references: { project: 'projects' },
    key: ['id'],
    indexes: ['unique project, what, parent, text'],
  },
  postgres: {
    owned: true,
    columns: { searchable: 'text?' },
    moves: { searchable: 'searchable(t.text)' },
    belongs: { project: 'projects' },
    key: ['project', 'id'],
    indexes: ['unique project, what, parent, text_hash(text)'],
  },
});

export const newNames = table('new_names', {
  columns: { day: 'int', what: 'smallint', names: 'int' },
  key: ['day', 'what'],
  sqlite: { references: { day: 'days' } },
  postgres: { belongs: { day: 'days' } },
});

export const nameSources = table('name_takers', {
  columns: { day: 'int', what: 'smallint', kind: 'text', taker: 'text', names: 'int' },
  key: ['day', 'what', 'kind', 'taker'],
  sqlite: { references: { day: 'days' } },
  postgres: { belongs: { day: 'days' } },
  copied: 'with visitors',
});

export const counts = table('counts', {
  nameColumns: ['parent', 'name'],
  columns: {
    project: 'int',
    span: 'smallint',
    day: 'int',
    what: 'smallint',
    parent: 'int',
    name: 'int',
    human_visitors: 'bigint',
    ai_visitors: 'bigint',
    visitors: 'bigint',
    human_views: 'bigint',
    ai_views: 'bigint',
  },
  sums: ['human_visitors', 'ai_visitors', 'visitors', 'human_views', 'ai_views'],
  belongs: { project: 'projects' },
  sqlite: { key: ['project', 'what', 'parent', 'span', 'day', 'name'] },
  postgres: {
    columns: { shard: 'int', slot: 'smallint' },
    key: ['shard', 'project', 'span', 'day', 'what', 'parent', 'name', 'slot'],
    owned: true,
  },
});

export const dropped = table('dropped', {
  columns: { project: 'int', day: 'int', reason: 'text', family: 'text', hits: 'bigint' },
  sums: ['hits'],
  sqlite: { references: { project: 'projects' }, key: ['project', 'day', 'reason', 'family'] },
  postgres: {
    belongs: { project: 'projects' },
    columns: { shard: 'int', slot: 'smallint' },
    key: ['shard', 'project', 'day', 'reason', 'family', 'slot'],
  },
  archive: {
    type: 'dropped',
    order: 't.day, t.reason, t.family',
    fields: 'day:date, reason, family, hits',
  },
});

export const nameCaps = table('name_caps', {
  columns: {
    project: 'int',
    day: 'int',
    what: 'smallint',
    cap: 'text',
    kind: 'smallint',
    client: 'text',
    views: 'bigint',
  },
  sums: ['views'],
  sqlite: { references: { project: 'projects' }, key: ['project', 'day', 'what', 'cap', 'kind', 'client'] },
  postgres: {
    belongs: { project: 'projects' },
    columns: { shard: 'int', slot: 'smallint' },
    key: ['shard', 'project', 'day', 'what', 'cap', 'kind', 'client', 'slot'],
  },
  archive: {
    type: 'nameCap',
    order: 't.day, t.what, t.cap, t.kind, t.client',
    fields: 'day:date, of=what:what, cap, kind, client, views',
  },
});

export const siteCounters = table('tallies', {
  columns: {
    project: 'int',
    tally: 'smallint',
    day: 'int',
    subject: 'text',
    name: 'text',
    hits: 'bigint',
    amount: 'bigint',
  },
  sums: ['hits', 'amount'],
  sqlite: { references: { project: 'projects' }, key: ['project', 'tally', 'day', 'subject', 'name'] },
  postgres: {
    belongs: { project: 'projects' },
    columns: { shard: 'int', slot: 'smallint' },
    key: ['shard', 'project', 'tally', 'day', 'subject', 'name', 'slot'],
  },
  archive: {
    type: 'tally',
    order: 't.day, t.tally, t.subject, t.name',
    fields: 'day:date, tally:counter, group=subject, name, hits, amount',
  },
});

export const cells = table('cells', {
  columns: {
    project: 'int',
    day: 'int',
    human_views: 'int',
    ai_views: 'int',
    site: 'bytea',
    pages: 'bytea',
  },
  key: ['project', 'day'],
  references: { project: 'projects' },
  isLarge: true,
  archive: {
    type: 'cells',
    order: 't.day',
    fields: 'day:date, humanViews, aiViews, site, pages',
  },
});

export const seen = table('seen', {
  columns: { day: 'int', visitor: 'bigint', sightings: 'packed int[]' },
  belongs: { day: 'days' },
  copied: 'with visitors',
  sqlite: { key: ['day', 'visitor'] },
  postgres: {
    owned: true,
    columns: { shard: 'int', bin: 'int', was: 'int', kinds: 'smallint?' },
    key: ['shard', 'bin', 'day', 'visitor'],
  },
});

export const visitViews = table('visit_views', {
  columns: {
    day: 'int',
    human_views: 'int',
    ai_views: 'int',
    views: 'packed bigint[]',
    origins: 'packed bigint[]?',
    view_values: 'bytea?',
    log: 'int?',
  },
  belongs: { day: 'days' },
  copied: 'with visitors',
  sqlite: { columns: { number: 'int' }, key: ['day', 'number'] },
  postgres: {
    owned: true,
    columns: { visitors: 'packed bigint[]', shard: 'int' },
    moves: { visitors: 'visitors_of(t.views)' },
    indexes: ['day'],
  },
});

export const pendingCounts = table('pending_counts', {
  columns: { project: 'int', day: 'int' },
  sqlite: { references: { project: 'projects' }, columns: { id: 'int', sums: 'bytea' }, key: ['id'] },
  postgres: {
    belongs: { project: 'projects' },
    columns: { shard: 'int', size: 'int', at: 'timestamptz', views: 'bigint[]', sightings: 'int[]' },
    indexes: ['shard, project'],
    owned: true,
  },
  staysBecause: 'it is added to the counts first',
});

export const newlySeen = table('newly_seen', {
  engine: 'sqlite',
  columns: { id: 'int', day: 'int', visitors_and_sightings: 'bytea' },
  belongs: { day: 'days' },
  copied: 'with visitors',
  key: ['id'],
});

export const seenHolder = table('seen_holder', {
  engine: 'sqlite',
  columns: { holder: 'int' },
});

export const batches = table('batches', {
  engine: 'postgres',
  columns: { shard: 'int', turn: 'smallint', refused: 'int[]?' },
  key: ['shard', 'turn', 'id'],
  postgres: { owned: true, columns: { id: 'uuid', at: 'timestamptz' } },
});
