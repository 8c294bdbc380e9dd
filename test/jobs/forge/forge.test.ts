import { describe, expect, test } from 'vitest';
import type { PullRequest } from '../../../server/jobs/forge/forge.ts';
import { parseRepository } from '../../../server/jobs/git/repository.ts';
import {
  creations,
  names,
  onCreate,
  onLook,
  open,
  plan,
  server,
  slug,
  token,
  useForges,
} from '../../support/forge/forges.ts';
import { startForgeServer } from '../../support/forge/server.ts';

useForges();

describe.each(names)('a pull request at %s', (name) => {
  test('is opened once, and found by everyone who asks again', async () => {
    const wanted = await plan();
    const first = await open(name).ensurePullRequest(wanted);
    expect(first).toEqual({
      kind: 'created',
      pullRequest: {
        title: wanted.title,
        body: wanted.body,
        draft: false,
        base: 'main',
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
      // Bitbucket answers as if it had been created.
      kind: name === 'bitbucket' ? 'created' : 'found',
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
    expect(failure.message).toMatch(/rejected the token.*--forge-token-stdin/);
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

  test('keeps title, draft state and reviewers that people chose when it gets a new text', async () => {
    const forge = open(name);
    await forge.ensurePullRequest(await plan({ draft: true }));
    const shown = (await forge.findPullRequest(1)) as PullRequest;
    const reviewers = ['grace'];
    const pull = await server.find(slug, 1);
    Object.assign(pull ?? {}, { title: pull?.title.replace('Better', 'A better title'), reviewers });
    const seen = (await forge.findPullRequest(1)) as PullRequest;
    await forge.rewrite(seen, { title: 'A better title', body: 'Another text', draft: true });
    expect(shown.title).toBe('Better');
    expect(await forge.findPullRequest(1)).toMatchObject({
      title: 'A better title',
      body: 'Another text',
      draft: true,
    });
    expect(await server.find(slug, 1)).toMatchObject({ draft: true, reviewers });
  });

  test('of a fork with a branch of the same name is not taken for ours', async () => {
    const wanted = await plan();
    const other = await server.open({ slug, head: 'job/1', base: 'old', title: 'x', body: '', draft: false });
    other.fork = 'eve/site';
    expect(await open(name).ensurePullRequest(wanted)).toMatchObject({
      kind: 'created',
      pullRequest: { number: 2 },
    });
  });

  test('tells when, with which commit and with which files it was merged', async () => {
    const forge = open(name);
    await forge.ensurePullRequest(await plan());
    const read = async () => await forge.readMerge((await forge.findPullRequest(1)) as PullRequest);
    expect(await read()).toEqual({ state: 'open', title: 'Better', mergedAt: null, commit: null, files: [] });
    await server.merge(slug, 1, { deleteBranch: true });
    expect(await read()).toEqual({
      state: 'merged',
      title: 'Better',
      mergedAt: '2026-11-20T10:00:00Z',
      commit: (await server.find(slug, 1))?.mergeCommit,
      files: ['page.md'],
    });
  });

  test('whose base is gone is not opened', async () => {
    // Gitea says the same of a head that is not there yet, which is tried again.
    const code = name === 'gitea' ? 'branch_changed' : 'missing_base';
    const ensured = open(name).ensurePullRequest(await plan({ base: 'gone' }));
    await expect(ensured).rejects.toMatchObject({ code, passing: name === 'gitea' });
  });

  test('goes with a credential that git accepts', async () => {
    const { username, password } = await open(name).credential();
    expect(password).toBe(token);
    expect(username).toMatch(/^(?:x-access-token|oauth2|x-token-auth)$/);
  });
});

test.each(['github', 'bitbucket'] as const)(
  'at %s a branch that holds nothing new opens nothing',
  async (name) => {
    await server.git.git(slug, ['branch', 'job/same', 'main']);
    expect(await open(name).ensurePullRequest(await plan({ head: 'job/same' }))).toEqual({ kind: 'nothing' });
  },
);

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

test('GitHub got requests and gave answers as it describes them itself', async () => {
  expect(server.requestsTo('github').length).toBeGreaterThan(50);
  expect(server.violations).toEqual([]);
});
