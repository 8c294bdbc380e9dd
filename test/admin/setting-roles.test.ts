import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import { roles } from '../../shared/accounts/role.ts';
import type { ProjectSettings } from '../../shared/project/project.ts';
import { type SettingName, settingRules } from '../../shared/project/project.ts';
import type { Changer } from '../../shared/project/setting.ts';
import type { SavedViewReply } from '../../shared/reports/saved-views.ts';
import { runHere } from '../support/commands/command.ts';
import { type DashboardClient, openDashboard } from '../support/dashboard/dashboard.ts';
import { join as joinPeople } from '../support/dashboard/people.ts';
import { temporaryFolders } from '../support/data-folders.ts';
import { type Headcount, startHeadcount, statusAndError } from '../support/headcount.ts';
import { makeMmdb } from '../support/places/mmdb.ts';

/** Of each setting, a value that is not the one that holds without it. */
const other: { [Name in SettingName]: ProjectSettings[Name] } = {
  ...{
    name: 'Renamed',
    hosts: ['docs.example'],
    siteHost: 'docs.example.com',
    seenHosts: ['made-up.example'],
  },
  ...{ timeZone: 'Europe/Berlin', excludedPaths: ['/admin/**'], excludedAddresses: ['192.0.2.0/24'] },
  ...{ excludedHosts: ['old.example'], excludedQueries: ['preview=1'], excludedUserAgents: ['Monitor'] },
  ...{
    excludedCountries: ['AQ'],
    excludesPast: true,
    excludedAsNumbers: ['AS64496'],
    excludesDataCenters: true,
  },
  ...{
    keptParameters: ['page'],
    goals: ['Sign up'],
    funnels: ['/a > /b'],
    sections: ['/a/** A'],
    renamedPaths: ['/old /new'],
    countTwinsAs: 'file',
  },
  ...{
    personalPaths: 'keep',
    keepDetailsMonths: 3,
    keepCountsMonths: 4,
    keepHoursDays: 5,
    minimumGroup: 2,
    channels: ['news.example = social'],
    trafficPrice: 0.1,
  },
  ...{ embedOrigins: ['https://docs.example'], mailTo: ['ada@example.com'], webhookFormat: 'slack' },
  ...{
    alerts: ['spoofing'],
    digest: 'weekly',
    digestViews: [] as string[],
    repository: 'https://github.com/owner/name',
    ref: 'main',
  },
  ...{
    forge: 'gitea',
    forgeUrl: 'https://git.example.com/api/v1',
    githubAppId: 'app',
    githubInstallationId: 7,
  },
  ...{ model: 'openai/gpt', fallbackModel: 'openai/gpt', turnSteps: 5, turnTokens: 6, turnMinutes: 7 },
  ...{ turnCost: 8, monthlyBudget: 9, branchPrefix: 'docs/', commitAuthor: 'Ada <ada@example.com>' },
  ...{ signOff: true, commitFormat: '^docs: ', modelLimits: ['openai/gpt context=32000'] },
  ...{ draft: true, labels: ['docs'], reviewers: 'off', maxOpenPullRequests: 2, closeIssues: true },
  ...{ comments: 'off', mention: 'docs', mendChecks: true, reportEffects: false, docsFolder: 'docs' },
  ...{ agentPaths: ['**'], agentHosts: ['docs.example.com'] },
  ...{
    agentRepositories: ['https://github.com/owner/other'],
    agentCommand: ['sh', '-c', 'id'],
    agentUnconfined: true,
  },
};

const names = Object.keys(settingRules) as SettingName[];
const changers: readonly Changer[] = ['editor', 'owner', 'operator', 'server'];

const newFolder = temporaryFolders();
let headcount: Headcount;
let administrator: DashboardClient;
const people: Partial<Record<string, DashboardClient>> = {};

beforeAll(async () => {
  const file = join(await newFolder(), 'networks.mmdb');
  await writeFile(file, makeMmdb({ '198.51.100.0/24': { asn: 'AS64496' } }, 24));
  headcount = await startHeadcount({ project: { name: 'Docs' }, env: { HEADCOUNT_ASN_DATABASE: file } });
  administrator = await openDashboard(headcount);
  const views = `/v1/analytics/${headcount.projectId}/saved-views`;
  const { id } = await administrator.must<SavedViewReply>('POST', views, { name: 'All' });
  other.digestViews.push(id);
  for (const role of roles) {
    people[role] = await joinPeople(headcount, administrator, role, [
      { projectId: headcount.projectId, role },
    ]);
  }
});
afterAll(() => headcount.stop());

const path = () => `/v1/admin/projects/${headcount.projectId}`;
const stored = async () => administrator.must<ProjectReply>('GET', path());
const change = (role: string, settings: object) =>
  statusAndError((people[role] as DashboardClient).send('PATCH', path(), { body: { settings } }));
const changeByKey = (settings: object) =>
  statusAndError(
    fetch(`${headcount.url}/v1/projects/${headcount.projectId}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${headcount.adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(settings),
    }),
  );

const expectedFor = (name: SettingName, by: 'editor' | 'owner') => {
  const { changedBy } = settingRules[name];
  if (changedBy === 'server') return 200;
  if (changedBy === 'operator') return 400;
  return changers.indexOf(by) >= changers.indexOf(changedBy) ? 200 : 403;
};

describe.each(names)('%s', (name) => {
  test('is changed by whom the table names, and by nobody below', async () => {
    const settings = { [name]: other[name] };
    const before = await stored();
    expect((await change('viewer', settings))[0]).toBe(403);
    for (const by of ['editor', 'owner'] as const) {
      const status = expectedFor(name, by);
      expect([by, ...(await change(by, settings))]).toEqual([by, status, expect.any(String)]);
      const isChanged = status === 200 && settingRules[name].changedBy !== 'server';
      expect((await stored())[name]).toEqual(isChanged ? other[name] : before[name]);
      await change('owner', { [name]: before[name] });
      expect((await stored())[name]).toEqual(before[name]);
    }
    if (settingRules[name].changedBy !== 'server') {
      expect((await changeByKey(settings))[0]).toBe(expectedFor(name, 'owner'));
      await change('owner', { [name]: before[name] });
    }
  });
});

test('editors cannot bring a setting of owners along with one of theirs', async () => {
  const before = await stored();
  expect(await change('editor', { trafficPrice: 0.5, agentPaths: ['**'] })).toEqual([
    403,
    'This needs an owner of this project, and you are an editor: ask an owner.',
  ]);
  expect(await stored()).toEqual(before);
});

test('the command line changes what no role may', async () => {
  const args = [
    'project',
    'set',
    headcount.projectId,
    '--agent-command',
    '["sh"]',
    '--agent-unconfined',
    '--json',
  ];
  const { code, stdout } = await runHere(args, { HEADCOUNT_DATA_DIR: headcount.context.config.dataDir });
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { agentCommand: ['sh'], agentUnconfined: true }]);
});

test('the page about people says the same as the table', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/people.md'), 'utf8');
  const words = {
    editors: 'editor',
    owners: 'owner',
    'the command line': 'operator',
    'the server alone': 'server',
  };
  const said: Record<string, string> = {};
  for (const [, cell = '', by = ''] of page.matchAll(/^\| (.*`.*) \| ([a-z ]+) \|$/gm)) {
    const changer = words[by as keyof typeof words];
    if (changer === undefined) continue;
    for (const [, name = ''] of cell.matchAll(/`(\w+)`/g)) said[name] = changer;
  }
  expect(said).toEqual(Object.fromEntries(names.map((name) => [name, settingRules[name].changedBy])));
});
