import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Fetch } from '../server/jobs/forge/call.ts';
import type { Forge, PullRequestPlan } from '../server/jobs/forge/forge.ts';
import { type ForgeOptions, openForge } from '../server/jobs/forge/forges.ts';
import { detectForge } from '../server/jobs/forge/probe.ts';
import { parseRepository } from '../server/jobs/repository.ts';
import { type ForgeName, type ForgeServer, startForgeServer } from './support/forge-server.ts';
import type { GitFault } from './support/git-server.ts';

const token = 'sesame-forge-55aa';
const names: ForgeName[] = ['github', 'gitlab', 'gitea'];
let server: ForgeServer;
let slug = '';
let counter = 0;

beforeAll(async () => {
  server = await startForgeServer({ token });
  await server.git.createRepository('ada/original', { 'page.md': 'one\n' });
  await server.git.commit('ada/original', { 'page.md': 'two\n' }, { branch: 'job/1' });
});

afterAll(async () => {
  await server.close();
});

beforeEach(async () => {
  server.git.faults.length = 0;
  slug = `ada/site-${++counter}`;
  await server.git.copyRepository('ada/original', slug);
});

function open(name: ForgeName, options: Partial<ForgeOptions> = {}): Forge {
  const repository = parseRepository(server.git.urlOf(slug), ['http']);
  const auth = { kind: 'token', token } as const;
  return openForge({ kind: name, repository, apiUrl: undefined, auth, fetch, now: Date.now, ...options });
}

async function plan(change: Partial<PullRequestPlan> = {}): Promise<PullRequestPlan> {
  const commit = (await server.git.refs(slug))['refs/heads/job/1'] ?? '';
  return {
    head: 'job/1',
    commit,
    base: 'main',
    title: 'Better',
    body: 'Why *and* how',
    draft: false,
    ...change,
  };
}

const creations = (name: ForgeName) => {
  const path = name === 'gitlab' ? /^POST .*\/merge_requests$/ : /^POST .*\/pulls$/;
  return server.requestsTo(name).filter((request) => path.test(request) && mentions(request));
};
const mentions = (request: string) => request.includes(slug) || request.includes(encodeURIComponent(slug));
const onCreate = (fault: Omit<GitFault, 'on'>): GitFault => ({ on: /^POST \/api\//, ...fault });
const onLook = (fault: Omit<GitFault, 'on'>): GitFault => ({ on: /^GET \/api\//, ...fault });

describe.each(names)('a pull request at %s', (name) => {
  test('is opened once, and found by everyone who asks again', async () => {
    const wanted = await plan();
    const first = await open(name).ensurePullRequest(wanted);
    expect(first).toEqual({
      kind: 'created',
      pullRequest: {
        url: expect.stringContaining(`/${slug}/`),
        number: 1,
        state: 'open',
        head: 'job/1',
        headCommit: wanted.commit,
      },
    });
    expect(await open(name).ensurePullRequest(wanted)).toEqual({ ...first, kind: 'found' });
    expect(creations(name)).toHaveLength(1);
    expect(await server.find(slug, 1)).toMatchObject({
      title: 'Better',
      body: 'Why *and* how',
      base: 'main',
      draft: false,
    });
  });

  test('is found after later commits, whatever title or base is asked for now', async () => {
    const first = await open(name).ensurePullRequest(await plan());
    await server.git.commit(slug, { 'page.md': 'three\n' }, { branch: 'job/1' });
    const again = await open(name).ensurePullRequest(await plan({ title: 'Other' }));
    expect(again).toMatchObject({ kind: 'found', pullRequest: { number: 1 } });
    expect(again).not.toEqual(first);
    expect(server.pulls.filter((pull) => pull.slug === slug)).toHaveLength(1);
  });

  test('of another branch, or of a branch whose name only begins like ours, is not taken for ours', async () => {
    await server.git.commit(slug, { 'page.md': 'x\n' }, { branch: 'job/1x' });
    await server.open({ slug, head: 'job/1x', base: 'main', title: 'x', body: '', draft: false });
    expect(await open(name).ensurePullRequest(await plan())).toMatchObject({
      kind: 'created',
      pullRequest: { number: 2 },
    });
  });

  test('that was created before the connection dropped is found in the same call', async () => {
    server.git.faults.push(onCreate({ dropAfter: true }));
    expect(await open(name).ensurePullRequest(await plan())).toMatchObject({
      kind: 'found',
      pullRequest: { number: 1 },
    });
    expect(creations(name)).toHaveLength(1);
  });

  test('that was created before a gateway broke is found in the same call', async () => {
    const wanted = await plan();
    const before = () =>
      server.open({ slug, head: 'job/1', base: 'main', title: 'x', body: '', draft: false });
    server.git.faults.push(onCreate({ status: 502, before }));
    expect(await open(name).ensurePullRequest(wanted)).toMatchObject({
      kind: 'found',
      pullRequest: { number: 1 },
    });
  });

  test('that another runner opens between our look and our request is found', async () => {
    const before = () =>
      server.open({ slug, head: 'job/1', base: 'main', title: 'x', body: '', draft: false });
    server.git.faults.push(onCreate({ before }));
    expect(await open(name).ensurePullRequest(await plan())).toMatchObject({
      kind: 'found',
      pullRequest: { number: 1 },
    });
    expect(server.pulls.filter((pull) => pull.slug === slug)).toHaveLength(1);
  });

  test.for([
    ['a broken gateway', { status: 502 }, 'server_error', undefined],
    ['maintenance', { status: 503, headers: { 'Retry-After': '30' } }, 'server_error', 30_000],
    ['too many requests', { status: 429, headers: { 'Retry-After': '7' } }, 'rate_limited', 7_000],
    ['a dropped connection', { drop: true }, 'network', undefined],
  ] as const)('is tried later after %s', async ([, fault, code, retryAfterMs]) => {
    for (const where of [onLook, onCreate]) {
      server.git.faults.push(where(fault));
      await expect(open(name).ensurePullRequest(await plan())).rejects.toMatchObject({
        code,
        passing: true,
        retryAfterMs,
      });
    }
    expect(await open(name).ensurePullRequest(await plan())).toMatchObject({ kind: 'created' });
  });

  test('fails for good with a token that is refused, and the sentence does not tell it', async () => {
    const auth = { kind: 'token', token: 'wrong-token-4711' } as const;
    const failure = await open(name, { auth })
      .ensurePullRequest(await plan())
      .catch((error) => error);
    expect(failure).toMatchObject({ code: 'auth', passing: false });
    expect(failure.message).toMatch(/refused the token.*--forge-token-stdin/);
    expect(JSON.stringify([failure.message, String(failure.cause), failure.stack])).not.toContain('4711');
  });

  test('fails for good where the token may not, and names the permission', async () => {
    server.git.faults.push(onCreate({ status: 403, body: { message: 'insufficient_scope' } }));
    await expect(open(name).ensurePullRequest(await plan())).rejects.toMatchObject({
      code: 'forbidden',
      passing: false,
      message: expect.stringMatching(/Pull requests: write|scope "api"|repository: read and write/),
    });
  });

  test('fails for good where there is no repository', async () => {
    const repository = parseRepository(server.git.urlOf('ada/none'), ['http']);
    await expect(open(name, { repository }).ensurePullRequest(await plan())).rejects.toMatchObject({
      code: 'not_found',
      passing: false,
    });
  });

  test('is tried later when the branch is not there yet', async () => {
    const wanted = await plan({ head: 'job/late' });
    await expect(open(name).ensurePullRequest(wanted)).rejects.toMatchObject({
      code: 'branch_changed',
      passing: true,
    });
  });

  test('tells of its state: open, merged, closed, gone', async () => {
    const forge = open(name);
    await forge.ensurePullRequest(await plan());
    expect(await forge.findPullRequest(1)).toMatchObject({ state: 'open', head: 'job/1' });
    await server.merge(slug, 1, { deleteBranch: true });
    expect(await forge.findPullRequest(1)).toMatchObject({ state: 'merged', head: 'job/1' });
    expect(await server.git.read(slug, 'main', 'page.md')).toBe('two\n');

    await server.git.commit(slug, { 'page.md': 'three\n' }, { branch: 'job/2' });
    await forge.ensurePullRequest(await plan({ head: 'job/2', commit: 'x' }));
    await server.decline(slug, 2);
    expect(await forge.findPullRequest(2)).toMatchObject({ state: 'closed', head: 'job/2' });
    expect(await forge.findPullRequest(3)).toBeUndefined();
    const elsewhere = parseRepository(server.git.urlOf('ada/none'), ['http']);
    await expect(open(name, { repository: elsewhere }).findPullRequest(1)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('that was merged before its number was noted down is found by its commit', async () => {
    const wanted = await plan();
    await open(name).ensurePullRequest(wanted);
    await server.merge(slug, 1, { deleteBranch: true });
    expect(await open(name).ensurePullRequest(wanted)).toMatchObject({
      kind: 'found',
      pullRequest: { number: 1, state: 'merged' },
    });
  });

  test('is opened anew when the one before was closed with other commits', async () => {
    await open(name).ensurePullRequest(await plan());
    await server.decline(slug, 1);
    await server.git.commit(slug, { 'page.md': 'three\n' }, { branch: 'job/1' });
    expect(await open(name).ensurePullRequest(await plan())).toMatchObject({
      kind: 'created',
      pullRequest: { number: 2 },
    });
  });

  test('may be a draft', async () => {
    await open(name).ensurePullRequest(await plan({ draft: true }));
    expect(await server.find(slug, 1)).toMatchObject({
      draft: true,
      title: expect.stringContaining('Better'),
    });
  });

  test('with a text that is too long is opened with its beginning', async () => {
    await open(name).ensurePullRequest(await plan({ title: '𝒯'.repeat(400), body: 'word '.repeat(20_000) }));
    const pull = await server.find(slug, 1);
    expect(Array.from(pull?.title ?? '')).toHaveLength(250);
    expect(pull?.title.isWellFormed()).toBe(true);
    expect(pull?.body.length).toBeLessThanOrEqual(60_000);
  });

  test('is left when the turn is stopped', async () => {
    server.git.faults.push(onLook({ hang: true }));
    const controller = new AbortController();
    const ensured = open(name).ensurePullRequest(await plan(), controller.signal);
    const reason = new Error('The job was archived.');
    setTimeout(() => controller.abort(reason), 50);
    await expect(ensured).rejects.toBe(reason);
  });

  test('is not asked for at the place that a redirect points to', async () => {
    server.git.faults.push(onLook({ status: 301, headers: { Location: 'http://127.0.0.1:1/' } }));
    await expect(open(name).ensurePullRequest(await plan())).rejects.toMatchObject({
      code: 'moved',
      passing: false,
    });
  });

  test('needs an answer of an API, not of something in between', async () => {
    for (const fault of [{ body: 'hello' }, { body: { items: [] } }, {}]) {
      server.git.faults.push(onLook({ status: 200, ...fault }));
      await expect(open(name).ensurePullRequest(await plan())).rejects.toMatchObject({
        code: 'server_error',
      });
    }
  });

  test('goes with a credential that git accepts', async () => {
    const { username, password } = await open(name).credential();
    expect(password).toBe(token);
    expect(username).toMatch(/^(?:x-access-token|oauth2)$/);
  });
});

describe('GitHub', () => {
  test('with nothing between the branches opens nothing', async () => {
    await server.git.git(slug, ['branch', 'job/same', 'main']);
    expect(await open('github').ensurePullRequest(await plan({ head: 'job/same' }))).toEqual({
      kind: 'nothing',
    });
  });

  test('without a base branch says so', async () => {
    await expect(open('github').ensurePullRequest(await plan({ base: 'gone' }))).rejects.toMatchObject({
      code: 'missing_base',
      passing: false,
    });
  });

  test.for([
    [{ message: 'You have exceeded a secondary rate limit.' }, { 'Retry-After': '90' }, 90_000],
    [{ message: 'You have exceeded a secondary rate limit.' }, {}, 60_000],
    [
      { message: 'API rate limit exceeded' },
      { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '1000120' },
      120_000,
    ],
  ] as const)('limits with 403 are waited for', async ([body, headers, retryAfterMs]) => {
    const now = () => 1_000_000_000;
    server.git.faults.push(onCreate({ status: 403, body, headers }));
    await expect(open('github', { now }).ensurePullRequest(await plan())).rejects.toMatchObject({
      code: 'rate_limited',
      passing: true,
      retryAfterMs,
    });
  });

  test('names the permission that it missed', async () => {
    server.git.faults.push(
      onCreate({
        status: 403,
        body: { message: 'Resource not accessible by personal access token', documentation_url: 'x' },
        headers: { 'X-Accepted-GitHub-Permissions': 'pull_requests=write' },
      }),
    );
    await expect(open('github').ensurePullRequest(await plan())).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringMatching(/it needs pull_requests=write: Resource not accessible/),
    });
  });

  test('sends requests and gets answers as it describes them itself', async () => {
    expect(server.requestsTo('github').length).toBeGreaterThan(50);
    expect(server.violations).toEqual([]);
  });

  test('notices a request or an answer that is not as described', () => {
    const exchange = {
      method: 'POST',
      path: '/repos/ada/site/pulls',
      query: new URLSearchParams(),
      requestBody: { title: 'x', head: 'a', base: 'main' },
      status: 201,
      answer: server.description.sample('pull-request'),
    };
    const check = (change: Partial<typeof exchange>) => server.description.check({ ...exchange, ...change });
    expect(check({})).toEqual([]);
    expect(check({ requestBody: { title: 'x', head: 'a' } as never })).toHaveLength(1);
    expect(check({ requestBody: { ...exchange.requestBody, haed: 'a' } as never })).toHaveLength(1);
    expect(check({ requestBody: { ...exchange.requestBody, title: 7 } as never })).toHaveLength(1);
    expect(check({ query: new URLSearchParams({ staet: 'all' }) })).toHaveLength(1);
    expect(check({ answer: { ...exchange.answer, number: 'one' } })).toHaveLength(1);
    expect(check({ answer: { ...exchange.answer, html_url: undefined } as never })).toHaveLength(1);
    expect(check({ status: 418 })).toHaveLength(1);
    expect(check({ path: '/repos/ada/site/pull' })).toHaveLength(1);
    expect(check({ method: 'PUT' })).toHaveLength(1);
    const list = { ...exchange, method: 'GET', requestBody: undefined, status: 200, answer: [] };
    const query = (fields: Record<string, string>) =>
      ({ ...list, query: new URLSearchParams(fields) }) as never;
    expect(check(query({ state: 'all', per_page: '50' }))).toEqual([]);
    expect(check(query({ state: 'merged' }))).toHaveLength(1);
    expect(check(query({ per_page: 'many' }))).toHaveLength(1);
  });
});

test('where drafts are refused, the pull request is opened ready for review', async () => {
  const strict = await startForgeServer({ token, noDrafts: true });
  try {
    await strict.git.createRepository('ada/site', { 'page.md': 'one\n' });
    const commit = await strict.git.commit('ada/site', { 'page.md': 'two\n' }, { branch: 'job/1' });
    const repository = parseRepository(strict.git.urlOf('ada/site'), ['http']);
    const forge = open('github', { repository });
    const wanted = { ...(await plan({ draft: true })), commit };
    expect(await forge.ensurePullRequest(wanted)).toMatchObject({ kind: 'created' });
    expect(await strict.find('ada/site', 1)).toMatchObject({ draft: false });
    expect(strict.violations).toEqual([]);
  } finally {
    await strict.close();
  }
});

test('at Gitea a pull request is found behind pages of others', async () => {
  for (let index = 0; index < 35; index++) {
    const other = await server.open({
      slug,
      head: 'other',
      base: 'main',
      title: `${index}`,
      body: '',
      draft: false,
    });
    other.state = 'closed';
  }
  const first = await server.open({
    slug,
    head: 'job/1',
    base: 'main',
    title: 'ours',
    body: '',
    draft: false,
  });
  for (let index = 0; index < 40; index++) {
    await server.open({
      slug,
      head: `other-${index}`,
      base: 'main',
      title: `${index}`,
      body: '',
      draft: false,
    });
  }
  expect(await open('gitea').ensurePullRequest(await plan())).toMatchObject({
    kind: 'found',
    pullRequest: { number: first.number },
  });
});

describe('a GitHub App', () => {
  const app = () => ({ kind: 'app' as const, appId: server.app.appId, privateKey: server.app.privateKey });
  const mints = () => server.requestsTo('github').filter((request) => request.endsWith('/access_tokens'));

  test('works with a token for one repository that may write contents and pull requests only', async () => {
    const forge = open('github', { auth: app() });
    expect(await forge.ensurePullRequest(await plan())).toMatchObject({ kind: 'created' });
    const { username, password } = await forge.credential();
    expect(username).toBe('x-access-token');
    expect(server.app.tokens.get(password)).toMatchObject({
      repositories: [slug.split('/')[1]],
      permissions: { contents: 'write', pull_requests: 'write' },
    });
    const refs = await fetch(`${server.git.urlOf(slug)}/info/refs?service=git-receive-pack`, {
      headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
    });
    expect(refs.status).toBe(200);
    expect(server.violations).toEqual([]);
  });

  test('gets a new token in time before the old one ends, and only one', async () => {
    let time = Date.now();
    const now = () => time;
    server.app.now = now;
    const forge = open('github', { auth: { ...app(), installationId: server.app.installationId }, now });
    const first = await forge.credential();
    time += 45 * 60_000;
    expect(await forge.credential()).toEqual(first);
    time += 6 * 60_000;
    const before = mints().length;
    const [one, two] = await Promise.all([forge.credential(), forge.credential()]);
    expect(one).toEqual(two);
    expect(one).not.toEqual(first);
    expect(mints()).toHaveLength(before + 1);
    server.app.now = Date.now;
  });

  test('whose token was taken back early gets another one with the next try', async () => {
    const forge = open('github', { auth: app() });
    const { password } = await forge.credential();
    server.app.tokens.delete(password);
    await expect(forge.ensurePullRequest(await plan())).rejects.toMatchObject({ passing: true });
    expect(await forge.ensurePullRequest(await plan())).toMatchObject({ kind: 'created' });
  });

  test('that lacks a permission says which', async () => {
    const granted = server.app.permissions;
    server.app.permissions = { metadata: 'read', contents: 'read' };
    await expect(open('github', { auth: app() }).credential()).rejects.toMatchObject({
      passing: false,
      message: expect.stringContaining('not granted to this installation'),
    });
    server.app.permissions = granted;
  });

  test('with a broken key is refused without telling it', async () => {
    const privateKey = '-----BEGIN RSA PRIVATE KEY-----\nc2VjcmV0NDcxMQ==\n-----END RSA PRIVATE KEY-----';
    const failure = await open('github', { auth: { ...app(), privateKey } })
      .credential()
      .catch((error) => error);
    expect(failure).toMatchObject({ code: 'auth', passing: false, message: expect.stringContaining('PEM') });
    expect(failure.stack).not.toContain('c2VjcmV0');
  });

  test('that is not installed on the repository is told where to look', async () => {
    const auth = { ...app(), installationId: 1 };
    await expect(open('github', { auth }).credential()).rejects.toMatchObject({
      code: 'not_found',
      passing: false,
    });
  });

  test('is refused for other forges', () => {
    expect(() => open('gitlab', { auth: app() })).toThrow(expect.objectContaining({ code: 'bad_forge' }));
  });
});

describe('where the API is', () => {
  /** The address that a forge of this kind asks for a repository at this place. */
  async function askedFor(kind: ForgeName, address: string, apiUrl?: string): Promise<string> {
    const asked: string[] = [];
    const listen: Fetch = async (input) => {
      asked.push(String(input));
      return Response.json([]);
    };
    const repository = parseRepository(address, ['https']);
    const auth = { kind: 'token', token } as const;
    const forge = openForge({ kind, repository, apiUrl, auth, fetch: listen, now: Date.now });
    await forge.ensurePullRequest(await plan()).catch(() => undefined);
    return (asked[0] ?? '').replace(/\?.*/, '');
  }

  test.for<[ForgeName, string, string | undefined, string]>([
    ['github', 'https://github.com/ada/site.git', undefined, 'https://api.github.com/repos/ada/site/pulls'],
    ['github', 'https://acme.ghe.com/ada/site', undefined, 'https://api.acme.ghe.com/repos/ada/site/pulls'],
    [
      'github',
      'https://git.acme.com/ada/site',
      undefined,
      'https://git.acme.com/api/v3/repos/ada/site/pulls',
    ],
    [
      'github',
      'https://git.acme.com/ada/site',
      'https://api.acme.com/v3/',
      'https://api.acme.com/v3/repos/ada/site/pulls',
    ],
    [
      'gitlab',
      'https://gitlab.com/a/b/site',
      undefined,
      'https://gitlab.com/api/v4/projects/a%2Fb%2Fsite/merge_requests',
    ],
    [
      'gitlab',
      'https://acme.com/gitlab/a/site',
      'https://acme.com/gitlab/api/v4',
      'https://acme.com/gitlab/api/v4/projects/a%2Fsite/merge_requests',
    ],
    ['gitea', 'https://codeberg.org/ada/site', undefined, 'https://codeberg.org/api/v1/repos/ada/site/pulls'],
    [
      'gitea',
      'https://acme.com/git/ada/site',
      'https://acme.com/git/api/v1',
      'https://acme.com/git/api/v1/repos/ada/site/pulls',
    ],
  ])('%s for %s with %s', async ([kind, address, apiUrl, expected]) => {
    expect(await askedFor(kind, address, apiUrl)).toBe(expected);
  });

  test.for<[ForgeName, string, string | undefined, string]>([
    ['github', 'https://github.com/site', undefined, 'bad_repository'],
    ['gitea', 'https://acme.com/git/ada/site', undefined, 'bad_repository'],
    ['github', 'https://github.com/ada/site', 'http://api.github.com', 'bad_forge'],
    ['github', 'https://github.com/ada/site', 'api.github.com', 'bad_forge'],
    ['github', 'https://github.com/ada/site', 'https://user:pass@api.github.com', 'bad_forge'],
  ])('%s for %s with %s is refused', ([kind, address, apiUrl, code]) => {
    const repository = parseRepository(address, ['https']);
    const auth = { kind: 'token', token } as const;
    expect(() => openForge({ kind, repository, apiUrl, auth, fetch, now: Date.now })).toThrow(
      expect.objectContaining({ code, passing: false }),
    );
  });

  test.for([
    ['https://github.com/a/b', 'github'],
    ['https://acme.ghe.com/a/b', 'github'],
    ['https://gitlab.com/a/b', 'gitlab'],
    ['https://codeberg.org/a/b', 'gitea'],
  ])('%s is known without asking', async ([address = '', kind]) => {
    const silent: Fetch = () => Promise.reject(new Error('No request was expected.'));
    expect(await detectForge(parseRepository(address, ['https']), { fetch: silent })).toBe(kind);
  });

  test.each(names)('a server of our own is recognised as %s', async (name) => {
    const own = await startForgeServer({ token, names: [name] });
    try {
      const repository = parseRepository(own.git.urlOf('ada/site'), ['http']);
      expect(await detectForge(repository, { fetch })).toBe(name);
    } finally {
      await own.close();
    }
  });

  test('plain git is recognised as no forge, and a server that is away as such', async () => {
    const own = await startForgeServer({ token, names: [] });
    const repository = parseRepository(own.git.urlOf('ada/site'), ['http']);
    expect(await detectForge(repository, { fetch })).toBeUndefined();
    await own.close();
    await expect(detectForge(repository, { fetch })).rejects.toMatchObject({
      code: 'network',
      passing: true,
    });
  });
});
