import { table } from './table.ts';

export const jobs = table('jobs', {
  columns: {
    id: 'int',
    public_id: 'text',
    project: 'int',
    status: 'text',
    repository: 'text',
    ref: 'text',
    model: 'text',
    base_branch: 'text?',
    branch: 'text?',
    pr_link: 'text?',
    failure: 'text?',
    created_at: 'bigint',
    archived_at: 'bigint?',
    active_at: 'bigint',
    last_event: 'int',
    started_by: 'text?',
    reverts: 'text?',
  },
  key: ['id'],
  references: { project: 'projects' },
  indexes: [
    'unique public_id',
    'project, id',
    'project, status, id',
    "active_at where status in ('completed', 'failed')",
    "unique project, reverts where reverts is not null and status <> 'archived'",
  ],
  archive: {
    type: 'job',
    order: 't.id',
    fields:
      'id=public_id, status, repository, ref, model, prLink, createdAt:time, archivedAt:time, activeAt, baseBranch, branch, failure:json, startedBy:json, reverts',
  },
});

export const turns = table('turns', {
  columns: {
    job: 'int',
    number: 'int',
    prompt: 'text',
    phase: 'text',
    attempt: 'int',
    created_at: 'bigint',
    due_at: 'bigint',
    leased: 'boolean',
    fence: 'int',
    record: 'text[]',
    branch: 'text?',
    next_message: 'int',
    resumes_at: 'text?',
    steps: 'int',
    input_tokens: 'bigint',
    output_tokens: 'bigint',
    cached_tokens: 'bigint',
    cost: 'bigint?',
  },
  key: ['job', 'number'],
  references: { job: 'jobs' },
  indexes: [
    "created_at, job, number where phase <> 'settled'",
    'due_at where leased',
    'job where resumes_at is not null',
  ],
  archive: {
    type: 'turn',
    order: 'j.id, t.number',
    fields:
      'job, number, prompt:json, attempt, createdAt, record, resumesAt, steps, inputTokens, outputTokens, cachedTokens, cost',
  },
});

export const events = table('events', {
  columns: { job: 'int', number: 'int', turn: 'int', at: 'bigint', type: 'text', data: 'text' },
  key: ['job', 'number'],
  references: { job: 'jobs' },
  archive: {
    type: 'event',
    order: 'j.id, t.number',
    fields: 'job, number, turn, at:time, kind=type, data:json',
  },
});

export const messages = table('messages', {
  columns: { job: 'int', turn: 'int', position: 'int', message: 'text' },
  key: ['job', 'turn', 'position'],
  references: { job: 'jobs' },
  archive: {
    type: 'message',
    order: 'j.id, t.turn, t.position',
    fields: 'job, turn, position, message:json',
  },
});

export const jobImages = table('job_images', {
  isLarge: true,
  columns: { job: 'int', number: 'int', turn: 'int', name: 'text', type: 'text', content: 'bytea' },
  key: ['job', 'number'],
  references: { job: 'jobs' },
  archive: {
    type: 'image',
    order: 'j.id, t.number',
    fields: 'job, number, turn, name, kind=type, content',
  },
});

export const heardComments = table('heard_comments', {
  columns: { job: 'int', key: 'text', state: 'text' },
  key: ['job', 'key'],
  references: { job: 'jobs' },
  archive: { type: 'comment', order: 'j.id, t.key', fields: 'job, key, state' },
});

export const uses = table('uses', {
  columns: { project: 'int', route: 'text', at: 'bigint' },
  references: { project: 'projects' },
  indexes: ['project, route, at'],
  sqlite: { columns: { id: 'int' }, key: ['id'] },
});

export const idempotencyKeys = table('idempotency_keys', {
  columns: { project: 'int', route: 'text', key: 'text', request_hash: 'text', job: 'int', at: 'bigint' },
  key: ['project', 'route', 'key'],
  references: { project: 'projects', job: 'jobs' },
  indexes: ['at', 'job'],
});

export const projectRounds = table('project_rounds', {
  columns: { project: 'int', round: 'bigint' },
  key: ['project'],
  references: { project: 'projects' },
});
