import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessRules } from '../../server/http/access.ts';
import { type Route, roleFor, scopeFor } from '../../server/http/route.ts';
import { operations } from '../../server/operations.ts';
import { makeKey } from '../../server/projects/key.ts';
import type { LinkReply } from '../../shared/accounts/admin.ts';
import type { KeyScope } from '../../shared/accounts/key-scope.ts';
import { isAtLeast, type ProjectRole, type Role, roles } from '../../shared/accounts/role.ts';
import { type DashboardClient, openDashboard, signIn } from '../support/dashboard/dashboard.ts';
import { join, userPassword } from '../support/dashboard/people.ts';
import { type Headcount, type ProjectClient, startHeadcount, statusAndError } from '../support/headcount.ts';
import { timeoutAtThisLoad } from '../support/machine/load.ts';

/** Who asks, and what they are to be answered by what the operation declares. */
interface Caller {
  headers(): Promise<Record<string, string>>;
  expected(operation: Route): Outcome;
  /** In the place of `:token`. */
  token?: string;
}

type Outcome = 'let in' | 'unauthorized' | 'forbidden';

type Owner = 'this project' | 'another project' | 'all projects';

const owners: Owner[] = ['this project', 'another project', 'all projects'];

/** As the contract has it, apart from the code that decides. */
const mayDo: Record<KeyScope, KeyScope[]> = {
  admin: ['admin', 'jobs', 'read', 'ingest'],
  jobs: ['jobs', 'read'],
  read: ['read'],
  ingest: ['ingest'],
};

let headcount: Headcount;
let other: ProjectClient;
let administrator: DashboardClient;
const callers = new Map<string, Caller>();
const secrets = new Map<string, string>();

beforeAll(async () => {
  headcount = await startHeadcount();
  other = await headcount.addProject();
  administrator = await openDashboard(headcount);
  callers.set('nobody', { headers: async () => ({}), expected: withoutKey });
  await addBadKeys();
  for (const scope of Object.keys(mayDo) as KeyScope[])
    for (const owner of owners) await addKey(scope, owner);
  await addPeople();
  await addLinks();
});
afterAll(() => headcount.stop());

/** What programs without a good key get, whatever it is that they send. */
function withoutKey({ access }: Route): Outcome {
  const { keys, session } = accessRules[access];
  if (keys || session) return 'unauthorized';
  return access === 'signed' ? 'forbidden' : 'let in';
}

async function makeStored(scope: KeyScope, owner: Owner, limits: Parameters<typeof makeKey>[4] = {}) {
  const { projectId } = owner === 'this project' ? headcount : other;
  const made = makeKey(scope, owner === 'all projects' ? null : projectId, 'x', Date.now(), limits);
  await headcount.context.store.addKey(made.stored);
  await headcount.context.registry.refresh();
  return made;
}

const bearing = (secret: string) => async () => ({ authorization: `Bearer ${secret}` });

async function addBadKeys(): Promise<void> {
  const revoked = await makeStored('admin', 'all projects');
  await headcount.context.store.revokeKey(revoked.stored.id);
  const expired = await makeStored('admin', 'all projects', { expiresAt: '2026-01-01T00:00:00.000Z' });
  const elsewhere = await makeStored('admin', 'all projects', {
    networks: ['192.0.2.0/24', '2001:db8::/32'],
  });
  for (const [name, secret] of [
    ['a malformed key', 'hc_admin_x'],
    ['an unknown key', makeKey('admin', null, 'x', 0).secret],
    ['a revoked key', revoked.secret],
    ['an expired key', expired.secret],
  ] as const)
    callers.set(name, { headers: bearing(secret), expected: withoutKey });
  callers.set('a key in another network', {
    headers: bearing(elsewhere.secret),
    expected: (operation) => (accessRules[operation.access].keys ? 'forbidden' : withoutKey(operation)),
  });
}

async function addKey(scope: KeyScope, owner: Owner): Promise<void> {
  const { secret } = await makeStored(scope, owner, { networks: ['127.0.0.0/8', '::1'] });
  const name = `${scope} key of ${owner}`;
  secrets.set(name, secret);
  callers.set(name, {
    headers: bearing(secret),
    expected: (operation) => {
      const { keys, allProjects } = accessRules[operation.access];
      if (!keys) return withoutKey(operation);
      const isCovered =
        owner === 'all projects' ||
        (!allProjects && (owner === 'this project' || !operation.path.includes(':projectId')));
      return isCovered && mayDo[scope].includes(scopeFor(operation)) ? 'let in' : 'forbidden';
    },
  });
}

async function addPeople(): Promise<void> {
  const all = { projectId: null, role: 'owner' } as const;
  addSession('administrator', administrator, all);
  for (const role of roles) {
    const given = { projectId: headcount.projectId, role };
    addSession(role, await join(headcount, administrator, role, [given]), given);
  }
  const elsewhere = { projectId: other.projectId, role: 'owner' } as const;
  addSession(
    'owner elsewhere',
    await join(headcount, administrator, 'owner elsewhere', [elsewhere]),
    elsewhere,
  );
  addSession('owner of all', await join(headcount, administrator, 'owner of all', [all]), all);
}

function addSession(name: string, client: DashboardClient, { projectId, role }: ProjectRole): void {
  const has = (needed: Role, where: string | null) =>
    (projectId === null || projectId === where) && isAtLeast(role, needed);
  callers.set(name, {
    // Some operations sign out who asks.
    headers: async () => {
      if (!(await client.send('GET', '/v1/admin/projects')).ok) {
        const body = { ...(name !== 'administrator' && { name, password: userPassword }) };
        if (name === 'administrator') client.cookie = (await signIn(headcount.url)).cookie;
        else await client.send('POST', '/v1/admin/session', { body });
      }
      return { cookie: client.cookie };
    },
    expected: (operation) => {
      const { access } = operation;
      if (!accessRules[access].session) return withoutKey(operation);
      if (access === 'session' || access === 'projects') return 'let in';
      if (access === 'owner') return has('owner', null) ? 'let in' : 'forbidden';
      const where = access === 'session_all' ? null : headcount.projectId;
      return has(roleFor(operation), where) ? 'let in' : 'forbidden';
    },
  });
}

async function addLinks(): Promise<void> {
  for (const kind of ['page', 'badge'] as const) {
    const path = `/v1/admin/projects/${headcount.projectId}/links`;
    const { url } = await administrator.must<LinkReply>('POST', path, { kind });
    const token = url.split('/').at(-1)?.replace('.svg', '') as string;
    callers.set(`somebody with a ${kind} link`, { headers: async () => ({}), expected: withoutKey, token });
    callers.set(`the token of a ${kind} link as a key`, { headers: bearing(token), expected: withoutKey });
  }
}

const outcomes: Readonly<Record<number, Outcome>> = { 401: 'unauthorized', 403: 'forbidden' };

interface Answered {
  status: number;
  outcome: Outcome;
  error: string;
  challenge: string | null;
}

/** Without a body, and of a project alone that is there: who may do it is told that, and nothing happens. */
async function ask(operation: Route, caller: Caller, projectId = headcount.projectId): Promise<Answered> {
  const { method, path } = operation;
  const address = path
    .replace(':projectId', projectId)
    .replace(':token', caller.token ?? 'none')
    .replace(/:\w+/g, 'none');
  const headers = { 'sec-fetch-site': 'same-origin', ...(await caller.headers()) };
  const response = await fetch(headcount.url + address, { method, headers });
  const text = await response.text();
  const { error = '' } = response.status >= 400 ? (JSON.parse(text) as { error?: string }) : {};
  const challenge = response.headers.get('www-authenticate');
  return { status: response.status, outcome: outcomes[response.status] ?? 'let in', error, challenge };
}

const askAs = (operation: Route, name: string, projectId?: string) =>
  ask(operation, callers.get(name) as Caller, projectId);

test('every operation lets in every kind of caller, or refuses them, as it declares', {
  timeout: timeoutAtThisLoad(120_000),
}, async () => {
  const wrong: string[] = [];
  let asked = 0;
  for (const operation of operations) {
    const known: [name: string, caller: Caller, headers: Record<string, string>][] = [];
    // One after the other, as too many sign-ins at once are put off.
    for (const [name, caller] of callers) known.push([name, caller, await caller.headers()]);
    const all = known.map(async ([name, caller, headers]) => {
      const { outcome, challenge } = await ask(operation, { ...caller, headers: async () => headers });
      const expected = caller.expected(operation);
      asked++;
      if (outcome !== expected) wrong.push(`${operation.name}: ${name} is ${outcome}, not ${expected}`);
      if ((outcome === 'unauthorized') !== (challenge !== null))
        wrong.push(`${operation.name}: ${name} is asked for ${challenge}`);
    });
    await Promise.all(all);
  }
  expect(wrong).toEqual([]);
  expect(asked).toBe(operations.length * callers.size);
});

const ofKeys = operations.filter(({ access }) => accessRules[access].keys);

test('read keys change nothing, jobs keys start jobs alone, and ingest keys send hits alone', () => {
  const namesWith = (scope: KeyScope) =>
    ofKeys.filter((operation) => mayDo[scope].includes(scopeFor(operation)));
  const read = namesWith('read');
  expect(read.filter(({ method }) => method !== 'GET').map(({ name }) => name)).toEqual(['mcp.call']);
  expect(
    read.every(({ path }) => /^\/(v1\/analytics|v2\/agent|v1\/projects(\/:projectId)?$|mcp$)/.test(path)),
  ).toBe(true);
  expect(
    namesWith('jobs')
      .filter((operation) => !read.includes(operation))
      .map(({ name }) => name),
  ).toEqual([
    'analytics.worklist.fix',
    'analytics.worklist.fix_all',
    'jobs.create',
    'jobs.message',
    'jobs.stop',
    'jobs.revert',
  ]);
  expect(namesWith('ingest').map(({ name }) => name)).toEqual(['hits.batch']);
});

describe('a refused key is answered in words that name what is missing', () => {
  const find = (name: string) => operations.find((operation) => operation.name === name) as Route;

  test.each([
    ['an expired key', 'analytics.visitors', 401, /^This API key expired at 2026-01-01T00:00:00.000Z: /],
    ['a revoked key', 'analytics.visitors', 401, /^Unknown or revoked API key/],
    ['a key in another network', 'analytics.visitors', 403, /^This key may not be used from 127\.0\.0\.1: /],
    [
      'read key of this project',
      'jobs.create',
      403,
      'This needs a key with the scope jobs or admin, and this one has the scope read.',
    ],
    [
      'jobs key of this project',
      'projects.change',
      403,
      'This needs a key with the scope admin, and this one has the scope jobs.',
    ],
    [
      'ingest key of this project',
      'analytics.visitors',
      403,
      'This needs a key with the scope read or jobs or admin, and this one has the scope ingest.',
    ],
    [
      'read key of all projects',
      'hits.batch',
      403,
      'This needs a key with the scope ingest or admin, and this one has the scope read.',
    ],
    [
      'admin key of another project',
      'analytics.visitors',
      403,
      /^No access to project ".*": check the id, or use an admin key for it\.$/,
    ],
    ['admin key of this project', 'server.metrics', 403, /use an admin key for all projects/],
  ])('%s: %s', async (caller, name, status, sentence) => {
    const answered = await askAs(find(name), caller);
    expect([answered.status, answered.error]).toEqual([
      status,
      typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
    ]);
  });

  test('the networks of a key are not revealed to who is in none of them', async () => {
    const { error } = await askAs(find('analytics.visitors'), 'a key in another network');
    expect(error).not.toMatch(/192\.0\.2|2001:db8/);
  });

  test('the same whether or not there is such a project', async () => {
    const refused = ofKeys.filter(({ path }) => path.includes(':projectId'));
    const ofNone = ['an expired key', 'a key in another network'];
    const names = [...secrets.keys(), ...ofNone].filter((name) => !/of (this|all) project/.test(name));
    for (const operation of refused)
      for (const name of names) {
        const { status, error } = await askAs(operation, name);
        if (status < 401 || status > 403) continue;
        const unknown = await askAs(operation, name, 'none');
        // But for the id itself, which the caller sent.
        const withoutId = (text: string) => text.replace(/project "\w+"/, 'project');
        expect([operation.name, name, unknown.status, withoutId(unknown.error)]).toEqual([
          operation.name,
          name,
          status,
          withoutId(error),
        ]);
      }
    expect(names.length).toBe(6);
  });
});

test('a missing "Bearer" and an unknown project are named', async () => {
  const ask = async (projectId: string, authorization: string) => {
    const path = `/v1/analytics/${encodeURIComponent(projectId)}/visitors`;
    return statusAndError(fetch(headcount.url + path, { headers: { authorization } }));
  };
  const { projectId, adminKey } = await headcount.addProject();
  const other = await headcount.addProject();
  expect(await ask(projectId, adminKey)).toEqual([
    401,
    expect.stringMatching(/^Missing "Bearer " before the key:/),
  ]);
  expect(await ask(projectId, 'Bearer hc_admin_x')).toEqual([
    401,
    expect.stringMatching(/^Unknown or revoked API key\. Create one with /),
  ]);
  for (const id of ['…', 'nothing', other.projectId]) {
    expect(await ask(id, `Bearer ${adminKey}`)).toEqual([
      403,
      `No access to project "${id}": check the id, or use an admin key for it.`,
    ]);
  }
});
