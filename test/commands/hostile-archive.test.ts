import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ProjectSettings, projectSettings, settingRules } from '../../shared/project/project.ts';
import { runHere } from '../support/commands/command.ts';
import { temporaryFolders } from '../support/data-folders.ts';

const newFolder = temporaryFolders();

/** All that an archive's author could want of the server that takes it in. */
const hostile = {
  name: 'Evil\u001b[2J\u202e',
  hosts: ['internal.corp.example'],
  siteHost: 'victim.example',
  timeZone: 'Europe/Berlin',
  excludedPaths: ['/admin/**'],
  goals: ['Sign\u0007 up'],
  keepCountsMonths: 12,
  embedOrigins: ['https://evil.example', 'https://*'],
  mailTo: ['evil@example.com'],
  webhookFormat: 'slack',
  alerts: ['finished_job'],
  digest: 'weekly',
  repository: 'file:///etc',
  ref: 'evil',
  forge: 'gitea',
  forgeUrl: 'https://evil.example/api/v1',
  githubAppId: 'evil',
  githubInstallationId: 7,
  model: 'compatible/evil',
  fallbackModel: 'openai/dear',
  branchPrefix: 'release/',
  commitAuthor: 'Linus <linus@example.com>',
  draft: true,
  labels: ['automerge'],
  reviewers: 'authors',
  closeIssues: true,
  mention: 'evil',
  mendChecks: true,
  docsFolder: 'evil',
  agentPaths: ['**', 'a$(id)', "b'c"],
  agentHosts: ['169-254-169-254.nip.example'],
  agentRepositories: ['http://10.0.0.1/a/b', 'https://127.0.0.1/a/b'],
  turnSteps: 500,
  turnTokens: 100_000_000,
  turnMinutes: 240,
  monthlyBudget: 3,
  agentCommand: ['sh', '-c', "id > '/tmp/x'"],
  agentUnconfined: true,
};

/** A job that would push its author's commit to a branch, and whose pull request would be read and commented on. */
const link = 'https://github.com/owner/name/pull/7';
const jobRecords: Record<string, unknown>[] = [
  {
    ...{
      type: 'mark',
      id: 'merge_1',
      day: '2026-11-02',
      kind: 'merge',
      text: 'Evil',
      touched: ['docs/a.md'],
    },
    ...{ url: link, createdAt: 7 },
  },
  {
    ...{
      type: 'job',
      id: 'job_evil',
      status: 'completed',
      repository: 'https://github.com/owner/name',
      ref: '',
    },
    ...{ model: 'm/x', prLink: link, createdAt: '2026-11-01T00:00:00.000Z', archivedAt: null, activeAt: 7 },
    ...{ baseBranch: 'release', branch: 'main', failureCode: null, failureMessage: null },
  },
  {
    ...{
      type: 'turn',
      job: 'job_evil',
      number: 0,
      prompt: 'x',
      attempt: 1,
      createdAt: 7,
      resumesAt: 'committed',
    },
    ...{ steps: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
    record: {
      branch: 'main',
      commit: 'f'.repeat(40),
      patch: 'RVZJTA==',
      pullRequest: { number: 7, url: link },
    },
  },
];

const event = {
  ...{ type: 'event', job: 'job_evil', number: 1, turn: 0, at: '2026-11-01T00:00:00.000Z', kind: 'text' },
  data: {},
};
const emptyMessage = { type: 'message', position: 0, message: null };

async function takeIn(settings: object, ...more: string[]) {
  const folder = await newFolder();
  const env = { HEADCOUNT_DATA_DIR: folder };
  const file = join(folder, 'evil.jsonl');
  const project: Record<string, unknown> = {
    ...{ type: 'project', format: 3, id: 'evil', createdAt: '2026-11-01T00:00:00.000Z' },
    ...{ settings, sealedThrough: null },
  };
  const automation: Record<string, unknown> = {
    ...{ type: 'automation', id: 'auto_1', createdAt: 7 },
    settings: {
      ...{ name: 'Evil\u202e', recipe: null, prompt: 'x', jobsPerWeek: 3 },
      when: { kind: 'release', repository: 'https://github.com/evil/evil' },
    },
  };
  const lines = [project, ...jobRecords, automation];
  lines.push({ type: 'end', records: lines.length });
  writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  const done = await runHere(['project', 'import', file, ...more], env);
  const { stdout } = await runHere(['project', 'list', '--json'], env);
  const [stored] = JSON.parse(stdout) as ProjectSettings[];
  return { ...done, env, stored: stored as ProjectSettings };
}

describe('an archive by somebody else', () => {
  test('brings what is counted, and nothing that sends, fetches, runs or grants', async () => {
    const { code, stderr, stored, env } = await takeIn(hostile);
    expect([code, stderr]).toEqual([0, '']);
    const { timeZone, excludedPaths, keepCountsMonths, draft, monthlyBudget } = hostile;
    expect(stored).toMatchObject({
      ...projectSettings.parse({ name: 'Evil [2J' }),
      ...{ timeZone, excludedPaths, keepCountsMonths, draft, monthlyBudget, goals: ['Sign  up'] },
    });
    const automations = await runHere(['automation', 'list', 'evil', '--json'], env);
    expect(JSON.parse(automations.stdout)).toMatchObject([{ name: 'Evil', enabled: false }]);
  });

  test('has what was left out named, with what sets it by hand', async () => {
    const { stdout } = await takeIn(hostile);
    expect(stdout).toContain('These settings were left out');
    for (const line of [
      'headcount project set evil --repository file:///etc',
      'headcount project set evil --forge-url https://evil.example/api/v1',
      'headcount project set evil --mail-to evil@example.com',
      "headcount project set evil --agent-paths '**,a$(id),b'\\''c'",
      "headcount project set evil --agent-command '[\"sh\",\"-c\",\"id > '\\''/tmp/x'\\''\"]'",
      'headcount project set evil --agent-unconfined',
      'headcount project set evil --embed-origin https://evil.example',
      'headcount project set evil --mend-checks',
    ]) {
      expect(stdout.replaceAll('npm start -- ', 'headcount ')).toContain(line);
    }
    expect(stdout).not.toMatch(/[\u202e]|(?!\n)\p{Cc}/u);
    const json = await takeIn(hostile, '--json');
    const { leftOut } = JSON.parse(json.stdout) as { leftOut: { setting: string }[] };
    const kept = ['name', 'timeZone', 'excludedPaths', 'goals', 'keepCountsMonths', 'draft', 'monthlyBudget'];
    expect(leftOut.map(({ setting }) => setting).sort()).toEqual(
      Object.keys(hostile)
        .filter((name) => !kept.includes(name))
        .sort(),
    );
  });

  test('brings jobs as history, and no branch, commit or pull request to go on with', async () => {
    const { env } = await takeIn(hostile);
    const { stdout } = await runHere(['export', '--project', 'evil', '-'], env);
    const records = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const of = (type: string) => records.filter((record) => record.type === type);
    expect(of('job')).toMatchObject([
      { id: 'job_evil', status: 'completed', prLink: null, branch: null, baseBranch: null },
    ]);
    expect(of('turn')).toMatchObject([{ job: 'job_evil', prompt: 'x', record: {}, resumesAt: null }]);
    expect(of('mark')).toMatchObject([{ kind: 'merge', url: null, touched: ['docs/a.md'] }]);
    expect(stdout).not.toMatch(/pull\/7|RVZJTA|ffff/);
  });

  test('may allow less than what holds without it', async () => {
    const quiet = { name: 'Quiet', comments: 'off', reviewers: 'off', reportEffects: false };
    const { stored, stdout } = await takeIn(quiet);
    expect(stored).toMatchObject(quiet);
    expect(stdout).not.toContain('left out');
  });

  test.for<[string, object[], RegExp]>([
    [
      'a time that is none',
      [{ ...event, at: 'yesterday' }],
      /^Line 5 .*: at is no time\. Nothing was changed/,
    ],
    ['the same event twice', [event, event], /^The export cannot be taken in: .*\. Nothing was changed\.$/],
    ['a message that says nothing', [{ ...event, ...emptyMessage }], /^The export cannot be taken in: /],
  ])('with %s is refused, and nothing of it is kept', async ([, more, refusal]) => {
    const folder = await newFolder();
    const env = { HEADCOUNT_DATA_DIR: folder };
    const project = { type: 'project', format: 3, id: 'evil', createdAt: '2026-11-01T00:00:00.000Z' };
    const lines = [{ ...project, settings: { name: 'Evil' }, sealedThrough: null }, ...jobRecords, ...more];
    const text = [...lines, { type: 'end', records: lines.length }].map((line) => JSON.stringify(line));
    const { code, stderr } = await runHere(['project', 'import', '-'], env, `${text.join('\n')}\n`);
    expect([code, stderr.trim()]).toEqual([1, expect.stringMatching(refusal)]);
    const { stdout } = await runHere(['project', 'list', '--json'], env);
    expect(JSON.parse(stdout || '[]')).toEqual([]);
  });

  test('with a line without end is refused', async () => {
    const folder = await newFolder();
    const { code, stderr } = await runHere(
      ['project', 'import', '-'],
      { HEADCOUNT_DATA_DIR: folder },
      'x'.repeat(70 * 1024 * 1024),
    );
    expect([code, stderr]).toEqual([1, expect.stringContaining('has a line of more than 64 MB')]);
  });

  test('is asked about each setting that there is', () => {
    const all = projectSettings.parse({ name: 'x' });
    expect(Object.keys(settingRules).sort()).toEqual(Object.keys(all).sort());
  });
});
