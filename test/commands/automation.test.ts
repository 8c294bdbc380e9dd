import { expect, test } from 'vitest';
import type { AutomationReply } from '../../shared/jobs/automation.ts';
import { projectCommands } from '../support/commands/project-commands.ts';

const { home, run } = projectCommands();

const automation = (...args: string[]) => run(['automation', ...args]);
const listed = async () =>
  JSON.parse((await automation('list', home.projectId, '--json')).stdout) as AutomationReply[];

test('automations are added turned off, listed, changed, turned on and removed', async () => {
  expect((await automation('list', home.projectId)).stdout).toBe('There are no automations.\n');
  const weekly = ['--weekly', 'Monday, thursday', '--hour', '9', '--recipe', 'still-true'];
  const added = await automation('add', home.projectId, '--name', 'Still true?', ...weekly);
  expect([added.code, added.stderr]).toEqual([0, '']);
  expect(added.stdout).toMatch(/^The automation "Still true\?" was added as auto_\w+: it is off\.\n$/);
  const [{ id }] = (await listed()) as [AutomationReply];
  const on = await automation('set', home.projectId, id, '--on', '--jobs-per-week', '2');
  expect(on.stdout).toMatch(/was changed as auto_\w+: it is on, next at \d{4}-\d\d-\d\d 09:00 UTC\.\n$/);
  for (const [name, ...when] of [
    ['Missing', '--missing-pages', '20', '--prompt', 'Mend it.'],
    ['Unread', '--unread-pages', '90', '--recipe', 'texts-for-ai'],
    ['Tool', '--release', 'https://git.example/a/tool', '--recipe', 'changelog', '--on'],
    ['Monthly', '--monthly', '31', '--hour', '0', '--recipe', 'broken-links'],
  ] as const)
    expect((await automation('add', home.projectId, '--name', name, ...when)).code).toBe(0);
  expect(await listed()).toMatchObject([
    {
      ...{ name: 'Still true?', recipe: 'still-true', prompt: null, enabled: true, jobsPerWeek: 2 },
      when: { kind: 'weekly', weekdays: ['monday', 'thursday'], hour: 9 },
    },
    { when: { kind: 'missing_page', requests: 20 }, prompt: 'Mend it.', jobsPerWeek: 3, enabled: false },
    { when: { kind: 'unread_page', days: 90 } },
    { when: { kind: 'release', repository: 'https://git.example/a/tool' }, enabled: true },
    { when: { kind: 'monthly', day: 31, hour: 0 } },
  ]);
  expect((await automation('list', home.projectId)).stdout).toMatch(/Tool +release +when it happens/);
  expect((await automation('remove', home.projectId, id)).stdout).toBe(`The automation ${id} was removed.\n`);
  expect(await listed()).toHaveLength(4);
});

test('what is no automation is refused with what to write instead', async () => {
  const add = (...args: string[]) => automation('add', home.projectId, '--name', 'x', ...args);
  const refusals = await Promise.all([
    add('--recipe', 'changelog'),
    add('--recipe', 'changelog', '--weekly', 'someday', '--hour', '9'),
    add('--recipe', 'changelog', '--weekly', 'monday'),
    add('--recipe', 'changelog', '--monthly', 'first', '--hour', '9'),
    add('--recipe', 'dance', '--missing-pages', '10'),
    add('--missing-pages', '10'),
    add('--recipe', 'changelog', '--missing-pages', '10', '--unread-pages', '60'),
    add('--recipe', 'changelog', '--missing-pages', '10', '--on', '--off'),
    automation('set', home.projectId, 'auto_none', '--on'),
    automation('remove', home.projectId, 'auto_none'),
    automation('list', 'none'),
  ]);
  expect(refusals.map(({ code, stderr }) => [code, stderr.split('\n')[0]])).toEqual([
    [2, expect.stringContaining('Say when it starts jobs: give one of --weekly, ')],
    [1, expect.stringContaining('when.weekdays.0 must be one of monday, ')],
    [1, expect.stringContaining('when.hour is missing')],
    [1, expect.stringContaining('when.day must be a whole number: 1 to 31')],
    [1, expect.stringContaining('recipe must be one of missing-pages, ')],
    [1, expect.stringContaining('prompt must be given, or a recipe')],
    [2, expect.stringContaining('Give one of --weekly, --monthly, ')],
    [2, expect.stringContaining('Give either --on or --off.')],
    [1, expect.stringContaining('There is no automation auto_none')],
    [1, expect.stringContaining('There is no automation auto_none')],
    [1, expect.stringContaining('There is no project none')],
  ]);
});

test('a job is started from a recipe, with or without a prompt', async () => {
  await run([
    'project',
    'set',
    home.projectId,
    '--repository',
    'https://git.example/a/b',
    '--model',
    'openai/x',
  ]);
  const start = (...args: string[]) => run(['job', 'start', home.projectId, ...args, '--json']);
  const plain = await start('--recipe', 'broken-links');
  expect(JSON.parse(plain.stdout)).toMatchObject({ status: 'active', startedBy: null });
  const more = JSON.parse((await start('--recipe', 'changelog', '--prompt', 'Of 2.0.')).stdout) as {
    id: string;
  };
  const followed = await run(['job', 'show', home.projectId, more.id]);
  expect(followed.stdout).not.toContain('Started by');
  const refused = await start('--recipe', 'dance');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('recipe must be one of')]);
});
