import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rulesVersion } from '../../server/identity/rule-versions.ts';
import type { AddedProject } from '../../server/operations/projects.ts';
import { runHeadcount, startProcess, startSources } from '../support/child.ts';
import { temporaryFolders } from '../support/data-folders.ts';
import { aiClient, combined } from '../support/import/import-run.ts';

const newFolder = temporaryFolders();
const release = (file: string) => ['--import', join(import.meta.dirname, '..', 'support', 'releases', file)];
const newer = release('newer-catalogue.ts');
/** The first, which told no AI client that no list has. */
const older = release('older-rules.ts');
const zyxbot = 'Mozilla/5.0 (compatible; Zyxbot/1.0; +https://zyx.example/bot)';
/** By the address of its maker, by its own word, and listed since version 2. */
const unlistedBot = 'Mozilla/5.0 (compatible; FreshSearchBot/1.0; +https://x.ai)';
const reader = 'llm-reader/2.1';
const moonshotBot = 'Mozilla/5.0 (compatible; MoonshotBot/1.0)';

const logOf = (day: string, views: number, userAgent = zyxbot) =>
  Array.from({ length: views }, (_, i) => {
    const at = `${day}T10:00:${String(i).padStart(2, '0')}Z`;
    return combined({ at, path: `/${i % 3}`, userAgent }) + combined({ at, userAgent: aiClient });
  }).join('');

const read = async <T>(url: string, { projectId, adminKey }: AddedProject, report: string) => {
  const headers = { authorization: `Bearer ${adminKey}` };
  return (await (await fetch(`${url}/v1/analytics/${projectId}/${report}`, { headers })).json()) as T;
};
const aiViews = async (url: string, project: AddedProject) =>
  (await read<{ totals: { ai: number } }>(url, project, 'views')).totals.ai;

/** Imports logs one after the other into a project of its own, each by the rules of a release. */
async function importBy(
  env: Record<string, string>,
  name: string,
  ...logs: (readonly [file: string, nodeArgs: string[]])[]
): Promise<AddedProject> {
  const run = async (args: string[], nodeArgs: string[] = []) => {
    const { code, stdout, stderr } = await runHeadcount([...args, '--json'], env, nodeArgs);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    return JSON.parse(stdout) as AddedProject;
  };
  const project = await run(['project', 'add', '--name', name]);
  for (const [file, nodeArgs] of logs) await run(['import', file, '--project', project.projectId], nodeArgs);
  return project;
}

test('one log under two catalogues differs by exactly the views that are told to be by added rules', async () => {
  const folder = await newFolder();
  const env = { HEADCOUNT_DATA_DIR: await newFolder(), HEADCOUNT_MAX_JOBS: '0' };
  const first = join(folder, 'first.log');
  const second = join(folder, 'second.log');
  await writeFile(first, logOf('2026-11-02', 7));
  await writeFile(second, logOf('2026-11-03', 11));
  const before = await importBy(env, 'Before', [first, []], [second, []]);
  const both = await importBy(env, 'Both', [first, []], [second, newer]);
  const server = await startProcess(env, startSources(newer));
  const { url } = server;
  try {
    const changes = await read<{ changes: { addedViews: number }[] }>(url, both, 'changes');
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
    expect((await aiViews(url, both)) - (await aiViews(url, before))).toBe(11);
    expect(changes.changes[0]?.addedViews).toBe(11);
    expect(await read(url, before, 'changes')).toMatchObject({ changes: [] });
    expect(await read(url, both, 'changes?dateTo=2026-11-03')).toMatchObject({ changes: [] });
  } finally {
    server.signal('SIGTERM');
    await server.ended;
  }
});

test('AI clients that no list has are among the views by added rules from the version on that began to tell them', async () => {
  const folder = await newFolder();
  const env = { HEADCOUNT_DATA_DIR: await newFolder(), HEADCOUNT_MAX_JOBS: '0' };
  const first = join(folder, 'first.log');
  const second = join(folder, 'second.log');
  await writeFile(first, logOf('2026-11-02', 5, unlistedBot));
  const added = [
    logOf('2026-11-03', 7, unlistedBot),
    logOf('2026-11-03', 3, reader),
    logOf('2026-11-03', 2, moonshotBot),
  ];
  await writeFile(second, added.join(''));
  const before = await importBy(env, 'Before', [first, older], [second, older]);
  const both = await importBy(env, 'Both', [first, older], [second, []]);
  const server = await startProcess(env);
  const { url } = server;
  try {
    const { changes } = await read<{ changes: { addedViews: number }[] }>(url, both, 'changes');
    expect(changes).toMatchObject([{ date: '2026-11-03', fromVersion: 1, toVersion: rulesVersion }]);
    expect((await aiViews(url, both)) - (await aiViews(url, before))).toBe(12);
    expect(changes[0]?.addedViews).toBe(12);
  } finally {
    server.signal('SIGTERM');
    await server.ended;
  }
});
