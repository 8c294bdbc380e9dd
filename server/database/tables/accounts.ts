import { table } from './table.ts';

export const administrator = table('administrator', {
  columns: { id: 'int', password: 'text?', setup: 'text?', setup_expires_at: 'bigint?' },
  key: ['id'],
});

export const sessions = table('sessions', {
  columns: { hash: 'text', created_at: 'bigint', used_at: 'bigint' },
  key: ['hash'],
  // Signed in people sign in again: a session that was ended must not come back.
  copied: 'never',
});

export const users = table('users', {
  columns: {
    id: 'text',
    name: 'text',
    password: 'text?',
    link: 'text?',
    link_expires_at: 'bigint?',
    created_at: 'text',
  },
  key: ['id'],
  indexes: ['unique name', 'unique link'],
});

export const roles = table('roles', {
  columns: { user_id: 'text', project: 'int?', role: 'text' },
  references: { user_id: 'users', project: 'projects' },
  indexes: ['unique user_id, coalesce(project, 0)', 'project'],
});

export const secondFactors = table('second_factors', {
  columns: { user_id: 'text?', secret: 'bytea', last_step: 'bigint', recovery_codes: 'text' },
  references: { user_id: 'users' },
  indexes: ["unique coalesce(user_id, '')"],
});

export const signOns = table('sign_ons', {
  columns: { issuer: 'text', subject: 'text', user_id: 'text' },
  key: ['issuer', 'subject'],
  references: { user_id: 'users' },
  indexes: ['unique user_id, issuer'],
});

export const userSessions = table('user_sessions', {
  columns: { hash: 'text', user_id: 'text', created_at: 'bigint', used_at: 'bigint' },
  key: ['hash'],
  copied: 'never',
  references: { user_id: 'users' },
  indexes: ['user_id, used_at'],
});

export const audit = table('audit', {
  columns: {
    id: 'int',
    at: 'bigint',
    actor_kind: 'text',
    actor_id: 'text?',
    actor_name: 'text?',
    action: 'text',
    project_id: 'text?',
    subject: 'text',
    changes: 'text',
  },
  key: ['id'],
  indexes: ['at', 'project_id, at'],
});

export const loadedCatalogue = table('loaded_catalogue', {
  columns: { id: 'int', version: 'int', signed: 'text' },
  key: ['id'],
});
