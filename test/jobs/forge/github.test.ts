import { describe, expect, test } from 'vitest';
import { onCreate, open, plan, server, slug, useForges } from '../../support/forge/forges.ts';

useForges();

describe('GitHub', () => {
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
