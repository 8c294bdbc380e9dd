import { table } from './table.ts';

export const projects = table('projects', {
  columns: { id: 'int', public_id: 'text', settings: 'json', created_at: 'text', sealed_through: 'int?' },
  key: ['id'],
  indexes: ['unique public_id', 'changed'],
  own: { changed: 'int' },
  postgres: {
    columns: { last_name: 'int', buckets: 'int', closed_through: 'int?', name_changes: 'int' },
    // The last that the project still has.
    moves: { last_name: '(select coalesce(max(id), 0) from names where project = t.id)' },
    owned: true,
  },
});

export const keys = table('keys', {
  columns: {
    id: 'text',
    hash: 'text',
    name: 'text',
    scope: 'text',
    project: 'int?',
    created_at: 'text',
    last_used_on: 'text?',
    expires_at: 'text?',
    networks: 'text',
    maker_kind: 'text?',
    maker_id: 'text?',
    maker_name: 'text?',
  },
  key: ['id'],
  references: { project: 'projects' },
  indexes: ['unique hash', 'changed'],
  own: { changed: 'int' },
  postgres: { indexes: ['project'] },
});

export const links = table('links', {
  columns: { id: 'text', project: 'int', kind: 'text', token: 'text', created_at: 'text' },
  key: ['id'],
  references: { project: 'projects' },
  indexes: ['unique token', 'changed'],
  own: { changed: 'int' },
  postgres: { indexes: ['project'] },
});

export const secrets = table('secrets', {
  columns: { project: 'int', name: 'text', sealed: 'bytea' },
  key: ['project', 'name'],
  references: { project: 'projects' },
});

export const versions = table('versions', {
  columns: { what: 'text', version: 'int' },
  key: ['what'],
  staysBecause: 'each counts its own changes',
});

export const removals = table('removals', {
  columns: { version: 'int', what: 'text', id: 'text' },
  indexes: ['version'],
  staysBecause: 'nobody has read the directory there yet',
});
