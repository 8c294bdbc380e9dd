import { expect, test } from 'vitest';
import type { MarkReply } from '../../server/operations/marks.ts';
import { projectCommands } from '../support/commands/project-commands.ts';

const { home, run } = projectCommands();

const mark = (...args: string[]) => run(['mark', ...args]);
const listed = async () => JSON.parse((await mark('list', home.projectId, '--json')).stdout) as MarkReply[];

test('marks are added, listed with the newest first, and removed', async () => {
  expect((await mark('list', home.projectId)).stdout).toBe('Nothing is marked.\n');
  const added = await mark('add', home.projectId, '--text', 'Newsletter', '--date', '2026-01-02');
  expect(added).toMatchObject({ code: 0, stderr: '' });
  expect(added.stdout).toMatch(/^2026-01-02: Newsletter was noted as mark_\w+\.\n$/);
  const release = ['--kind', 'release', '--path', '/prices', '--path', '/docs/*'];
  await mark('add', home.projectId, '--text', 'New prices', '--date', '2026-01-03', ...release);
  expect(await listed()).toMatchObject([
    { date: '2026-01-03', kind: 'release', text: 'New prices', touched: ['/prices', '/docs/*'] },
    { date: '2026-01-02', kind: 'note', text: 'Newsletter', touched: [] },
  ]);
  expect((await mark('list', home.projectId)).stdout).toMatch(/2026-01-03 {2}release {2}New prices/);
  const [{ id } = { id: '' }] = await listed();
  expect((await mark('remove', home.projectId, id)).stdout).toBe(`Mark ${id} was removed.\n`);
  expect(await listed()).toMatchObject([{ text: 'Newsletter' }]);
});

test('what cannot be marked is refused with what to write instead', async () => {
  const add = (...args: string[]) => mark('add', home.projectId, ...args);
  const refusals = await Promise.all([
    add(),
    add('--text', 'Early', '--date', '2999-01-01'),
    add('--text', 'Odd', '--date', 'yesterday'),
    add('--text', 'Odd', '--kind', 'merge'),
    add('--text', 'Odd', '--path', '/prices'),
    mark('add', 'none', '--text', 'Odd'),
    mark('remove', home.projectId, 'mark_none'),
    mark('change', home.projectId),
  ]);
  expect(refusals.map(({ code, stderr }) => [code, stderr.split('\n')[0]])).toEqual([
    [2, expect.stringContaining('--text must not be empty.')],
    [1, expect.stringContaining('date must not be later than today.')],
    [2, expect.stringContaining('--date must be a date such as 2026-11-20.')],
    [2, expect.stringContaining('--kind must be one of release, note.')],
    [2, expect.stringContaining('--path must be empty: a note does not belong to pages.')],
    [1, expect.stringContaining('There is no project none')],
    [1, expect.stringContaining('There is no mark mark_none')],
    [2, expect.stringContaining('"mark" must be followed by one of add, list, remove')],
  ]);
});
