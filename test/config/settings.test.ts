import { expect, test } from 'vitest';
import { settingGroups } from '../../server/config/settings.ts';
import { runHeadcount } from '../support/child.ts';

const settings = settingGroups.flatMap((group) => group.settings);

test('"serve --help" tells every setting, what it means and what holds without it', async () => {
  const { code, stdout } = await runHeadcount(['serve', '--help'], {});
  expect(code).toBe(0);
  const told = stdout.replace(/\s+/g, ' ');
  for (const { name, meaning, standard } of settings)
    expect(told).toContain(`${name} ${meaning} (${standard})`);
  expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([]);
});

test('no two settings share a name', () => {
  const names = settings.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
