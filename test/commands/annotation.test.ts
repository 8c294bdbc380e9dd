import { expect, test } from 'vitest';
import type { AnnotationReply } from '../../server/operations/annotations.ts';
import { projectCommands } from '../support/commands/project-commands.ts';

const { home, run } = projectCommands();

const annotation = (...args: string[]) => run(['annotation', ...args]);
const listed = async () =>
  JSON.parse((await annotation('list', home.projectId, '--json')).stdout) as AnnotationReply[];

test('annotations are added, listed with the newest first, and removed', async () => {
  expect((await annotation('list', home.projectId)).stdout).toBe('There are no annotations.\n');
  const added = await annotation('add', home.projectId, '--text', 'Newsletter', '--date', '2026-01-02');
  expect(added).toMatchObject({ code: 0, stderr: '' });
  expect(added.stdout).toMatch(/^2026-01-02: Newsletter was noted as annotation_\w+\.\n$/);
  const release = ['--kind', 'release', '--path', '/prices', '--path', '/docs/*'];
  await annotation('add', home.projectId, '--text', 'New prices', '--date', '2026-01-03', ...release);
  expect(await listed()).toMatchObject([
    { date: '2026-01-03', kind: 'release', text: 'New prices', affected: ['/prices', '/docs/*'] },
    { date: '2026-01-02', kind: 'note', text: 'Newsletter', affected: [] },
  ]);
  expect((await annotation('list', home.projectId)).stdout).toMatch(/2026-01-03 {2}release {2}New prices/);
  const [{ id } = { id: '' }] = await listed();
  expect((await annotation('remove', home.projectId, id)).stdout).toBe(`Annotation ${id} was removed.\n`);
  expect(await listed()).toMatchObject([{ text: 'Newsletter' }]);
});

test('what cannot be noted is refused with what to write instead', async () => {
  const add = (...args: string[]) => annotation('add', home.projectId, ...args);
  const refusals = await Promise.all([
    add(),
    add('--text', 'Early', '--date', '2999-01-01'),
    add('--text', 'Odd', '--date', 'yesterday'),
    add('--text', 'Odd', '--kind', 'merge'),
    add('--text', 'Odd', '--path', '/prices'),
    annotation('add', 'none', '--text', 'Odd'),
    annotation('remove', home.projectId, 'annotation_none'),
    annotation('change', home.projectId),
  ]);
  expect(refusals.map(({ code, stderr }) => [code, stderr.split('\n')[0]])).toEqual([
    [2, expect.stringContaining('--text must not be empty.')],
    [1, expect.stringContaining('date must not be later than today.')],
    [2, expect.stringContaining('--date must be a date such as 2026-11-20.')],
    [2, expect.stringContaining('--kind must be one of release, note.')],
    [2, expect.stringContaining('--path must be empty: a note does not belong to pages.')],
    [1, expect.stringContaining('There is no project none')],
    [1, expect.stringContaining('There is no annotation annotation_none')],
    [2, expect.stringContaining('"annotation" must be followed by one of add, list, remove')],
  ]);
});
