import { table } from './table.ts';

export const told = table('told', {
  columns: { project: 'int', key: 'text', at: 'bigint' },
  key: ['project', 'key'],
  references: { project: 'projects' },
});

export const deliveries = table('deliveries', {
  columns: {
    id: 'text',
    project: 'int',
    kind: 'text',
    title: 'text',
    channel: 'text',
    receiver: 'text',
    letter: 'text',
    created_at: 'bigint',
    attempts: 'int',
    due_at: 'bigint?',
    sent_at: 'bigint?',
    trouble: 'text?',
  },
  key: ['id'],
  references: { project: 'projects' },
  indexes: ['project, created_at', 'due_at where due_at is not null'],
});
