import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AddedProject } from '../../server/commands/project/project.ts';
import { rulesVersion } from '../../server/identity/rule-versions.ts';
import { runHeadcount, startProcess, startSources } from '../support/child.ts';
import { temporaryFolders } from '../support/data-folders.ts';
import { aiClient, combined } from '../support/import/import-run.ts';

const newFolder = temporaryFolders();
const newer = ['--import', join(import.meta.dirname, '..', 'support', 'releases', 'newer-catalogue.ts')];
const zyxbot = 'Mozilla/5.0 (compatible; Zyxbot/1.0; +https://zyx.example/bot)';

const logOf = (day: string, views: number) =>
  Array.from({ length: views }, (_, i) => {
    const at = `${day}T10:00:${String(i).padStart(2, '0')}Z`;
    return combined({ at, path: `/${i % 3}`, userAgent: zyxbot }) + combined({ at, userAgent: aiClient });
  }).join('');

test('one log under two catalogues differs by exactly the views that are told to be by added rules', async () => {
  const folder = await newFolder();
  const env = { HEADCOUNT_DATA_DIR: await newFolder(), HEADCOUNT_JOBS: '0' };
  const run = async (args: string[], nodeArgs: string[] = []) => {
    const { code, stdout, stderr } = await runHeadcount(args, env, nodeArgs);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    return JSON.parse(stdout) as AddedProject;
  };
  const first = join(folder, 'first.log');
  const second = join(folder, 'second.log');
  await writeFile(first, logOf('2026-11-02', 7));
  await writeFile(second, logOf('2026-11-03', 11));
  const [older, both] = [
    await run(['project', 'add', '--name', 'Older', '--json']),
    await run(['project', 'add', '--name', 'Both', '--json']),
  ];
  for (const [project, log, nodeArgs] of [
    [older, first, []],
    [older, second, []],
    [both, first, []],
    [both, second, newer],
  ] as const)
    await run(['import', log, '--project', project.projectId, '--json'], [...nodeArgs]);
  const server = await startProcess(env, startSources(newer));
  try {
    const read = async <T>({ projectId, adminKey }: AddedProject, report: string) => {
      const headers = { authorization: `Bearer ${adminKey}` };
      return (await (
        await fetch(`${server.url}/v1/analytics/${projectId}/${report}`, { headers })
      ).json()) as T;
    };
    const aiViews = async (project: AddedProject) =>
      (await read<{ totals: { ai: number } }>(project, 'views')).totals.ai;
    const changes = await read<{ changes: { addedViews: number }[] }>(both, 'changes');
    expect(changes).toMatchObject({
      rulesVersion: rulesVersion + 1,
      changes: [
        {
          date: '2026-11-03',
          kind: 'rules',
          fromVersion: rulesVersion,
          toVersion: rulesVersion + 1,
          text: 'Zyxbot is an AI client.',
        },
      ],
    });
    expect((await aiViews(both)) - (await aiViews(older))).toBe(11);
    expect(changes.changes[0]?.addedViews).toBe(11);
    expect(await read(older, 'changes')).toMatchObject({ changes: [] });
    expect(await read(both, 'changes?dateTo=2026-11-03')).toMatchObject({ changes: [] });
  } finally {
    server.signal('SIGTERM');
    await server.ended;
  }
});
