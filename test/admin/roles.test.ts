import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessRules } from '../../server/http/access.ts';
import { type Route, roleFor } from '../../server/http/route.ts';
import { operations } from '../../server/operations.ts';
import type { ProjectReply, ProjectsReply } from '../../shared/accounts/admin.ts';
import { isAtLeast, type ProjectRole, type Role, roles } from '../../shared/accounts/role.ts';
import type { UserReply } from '../../shared/accounts/user.ts';
import type { ProjectSettings } from '../../shared/project/project.ts';
import type { GlanceReply } from '../../shared/reports/analytics.ts';
import { type DashboardClient, openDashboard } from '../support/dashboard/dashboard.ts';
import { join } from '../support/dashboard/people.ts';
import {
  errorOf,
  type Headcount,
  type ProjectClient,
  startHeadcount,
  statusAndError,
} from '../support/headcount.ts';

const settings = {
  name: 'Docs',
  hosts: ['docs.example'],
  timeZone: 'Europe/Berlin',
  excludedAddresses: ['192.0.2.7'],
  mailTo: ['ada@example.com'],
  repository: 'https://github.com/owner/name',
};

let headcount: Headcount;
let other: ProjectClient;
let administrator: DashboardClient;
/** By what they may do, with the project or with all of them. */
let people: Record<string, DashboardClient>;

beforeAll(async () => {
  headcount = await startHeadcount({ project: settings });
  other = await headcount.addProject({ name: 'Other' });
  administrator = await openDashboard(headcount);
  people = {};
  for (const role of roles) {
    const add = (name: string, given: ProjectRole) => join(headcount, administrator, name, [given]);
    people[role] = await add(role, { projectId: headcount.projectId, role });
    people[`${role} of all`] = await add(`${role} of all`, { projectId: null, role });
    people[`${role} elsewhere`] = await add(`${role} elsewhere`, { projectId: other.projectId, role });
  }
});
afterAll(() => headcount.stop());

const project = () => `/v1/admin/projects/${headcount.projectId}`;
const as = (who: string) => people[who] as DashboardClient;

const answerTo = (who: string, method: string, path: string, body?: object) =>
  statusAndError(as(who).send(method, path, { body }));

/** What is not there, so that nothing happens to those who may. */
const addressOf = ({ path }: Route) =>
  path.replace(':projectId', headcount.projectId).replace(/:\w+/g, 'none');

/** Those of somebody who is signed in that take a role. What is of many projects tells of those with one. */
const limited = operations.filter(
  ({ access }) => accessRules[access].session && access !== 'session' && access !== 'projects',
);

const neededFor = (operation: Route): Role => (operation.access === 'owner' ? 'owner' : roleFor(operation));

describe.each(limited.map((operation) => [operation.name, operation] as const))('%s', (_name, operation) => {
  const isOfAll = operation.access === 'owner' || operation.access === 'session_all';
  const needed = neededFor(operation);
  // A body of the wrong type is refused after it was asked who sends it.
  const ask = async (who: string) => {
    const headers = { 'content-type': 'text/plain' };
    const body = operation.method === 'GET' ? undefined : {};
    const response = await as(who).send(operation.method, addressOf(operation), { headers, body });
    const { status } = response;
    return { status, error: status < 400 ? '' : (await errorOf(response)).error };
  };

  test('is for those with the role, and refused to all others in words', async () => {
    for (const role of roles) {
      for (const who of [role, `${role} of all`]) {
        const { status, error } = await ask(who);
        const may = isAtLeast(role, needed) && (!isOfAll || who.endsWith('of all'));
        expect([who, status === 403]).toEqual([who, !may]);
        if (!may)
          expect(error).toMatch(
            /^This needs an? \w+ of (this project|all projects), and you .*: ask an owner\.$/,
          );
      }
    }
  });

  test('is refused to owners of other projects, as if there were none', async () => {
    const { status, error } = await ask('owner elsewhere');
    const there = isOfAll ? 'all projects' : 'this project';
    const article = needed === 'viewer' ? 'a' : 'an';
    expect([status, error]).toEqual([
      403,
      `This needs ${article} ${needed} of ${there}, and you have no role there: ask an owner.`,
    ]);
    if (isOfAll) return;
    const path = operation.path.replace(/:\w+/g, 'none');
    const unknown = await as('owner elsewhere').send(operation.method, path, {
      headers: { 'content-type': 'text/plain' },
      body: operation.method === 'GET' ? undefined : {},
    });
    expect([unknown.status, (await errorOf(unknown)).error]).toEqual([status, error]);
  });
});

test('the list of projects has those that one has a role in, and tells which', async () => {
  const listed = async (who: string) =>
    (await as(who).must<ProjectsReply>('GET', '/v1/admin/projects')).projects.map(({ name, role }) => [
      name,
      role,
    ]);
  expect(await listed('editor')).toEqual([['Docs', 'editor']]);
  expect(await listed('viewer elsewhere')).toEqual([['Other', 'viewer']]);
  expect(await listed('owner of all')).toEqual([
    ['Docs', 'owner'],
    ['Other', 'owner'],
  ]);
});

test('all projects at a glance are those that one has a role in', async () => {
  const seen = async (who: string) =>
    (await as(who).must<GlanceReply>('GET', '/v1/analytics')).projects.map(({ name }) => name);
  expect(await seen('viewer')).toEqual(['Docs']);
  expect(await seen('owner elsewhere')).toEqual(['Other']);
  expect(await seen('viewer of all')).toEqual(['Docs', 'Other']);
  expect(await (await as('editor').send('GET', '/v1/analytics?format=csv')).text()).not.toContain('Other');
});

test('viewers see of the settings nothing that is about people, networks or repositories', async () => {
  const seen = await as('viewer').must<ProjectReply>('GET', project());
  const { name, hosts, timeZone } = settings;
  expect(seen).toMatchObject({
    ...{ name, hosts, timeZone, role: 'viewer' },
    ...{ excludedAddresses: [], mailTo: [], repository: null },
  });
  const { projects } = await as('viewer').must<ProjectsReply>('GET', '/v1/admin/projects');
  expect(projects).toEqual([seen]);
  expect(await as('editor').must('GET', project())).toMatchObject(settings);
});

describe('editors', () => {
  const patch = (body: object) => answerTo('editor', 'PATCH', project(), body);
  const refusal = [403, 'This needs an owner of this project, and you are an editor: ask an owner.'];

  test('change settings, also when they send back all that they were shown', async () => {
    const { store, registry } = headcount.context;
    const stored = registry.project(headcount.projectId)?.settings as ProjectSettings;
    const agentCommand = ['claude', '--api-key', 'sk-of-the-operator'];
    await store.setProject(headcount.projectId, { ...stored, agentCommand });
    await registry.refresh();
    const {
      id: _id,
      createdAt: _at,
      secrets: _secrets,
      role: _role,
      ...shown
    } = await as('editor').must<ProjectReply>('GET', project());
    expect(await patch({ settings: { ...shown, trafficPrice: 0.09 } })).toEqual([200, '']);
    expect(shown.agentCommand).toEqual(['claude']);
    expect(await administrator.must('GET', project())).toMatchObject({ trafficPrice: 0.09, agentCommand });
    expect((await patch({ settings: { agentCommand: ['claude', '-p'] } }))[0]).toBe(400);
  });

  test.each([
    { settings: { keepCountsMonths: 1 } },
    { settings: { keepHoursDays: 2 } },
    { settings: { monthlyBudget: 1000 } },
    { settings: { repository: 'https://github.com/owner/other' } },
    { settings: { forgeUrl: 'https://github.com/api/v3' } },
    { secrets: { forgeToken: 'a-token' } },
    { secrets: { webhookUrl: null } },
  ])('leave to owners what deletes counts or has to do with secrets: %j', async (body) => {
    const before = await administrator.must('GET', project());
    expect(await patch(body)).toEqual(refusal);
    expect(await administrator.must('GET', project())).toEqual(before);
  });
});

test('owners of all projects add projects and people, those of one do not', async () => {
  const added = await as('owner of all').must<ProjectReply>('POST', '/v1/admin/projects', { name: 'New' });
  expect(added.role).toBe('owner');
  expect((await answerTo('owner', 'POST', '/v1/admin/projects', { name: 'x' }))[0]).toBe(403);
  expect((await answerTo('owner', 'GET', '/v1/users'))[0]).toBe(403);
});

test('the higher of two roles holds, and another one as soon as it is given', async () => {
  const ada = await join(headcount, administrator, 'ada', [{ projectId: null, role: 'viewer' }]);
  const roleHere = async () => (await ada.must<ProjectReply>('GET', project())).role;
  const give = (given: ProjectRole[]) =>
    administrator.must<UserReply>('PATCH', `/v1/users/${ada.id}`, { roles: given });
  expect(await roleHere()).toBe('viewer');
  const both: ProjectRole[] = [
    { projectId: null, role: 'viewer' },
    { projectId: headcount.projectId, role: 'owner' },
  ];
  expect((await give(both)).roles).toEqual(both);
  expect(await roleHere()).toBe('owner');
  await give([{ projectId: other.projectId, role: 'viewer' }]);
  expect((await ada.send('GET', project())).status).toBe(403);
});
