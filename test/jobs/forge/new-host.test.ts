import { expect, test } from 'vitest';
import {
  below,
  type ForgeApi,
  type ForgeDriver,
  nobody,
  type PostedComment,
  type PullRequest,
} from '../../../server/jobs/forge/forge.ts';
import { detectForge, drivers, isSigned, openForge } from '../../../server/jobs/forge/forges.ts';
import { parseRepository } from '../../../server/jobs/git/repository.ts';

/** A code host that nobody has heard of: all that it takes is here, and in the list of the test. */
function acmeHost() {
  const pulls: PullRequest[] = [];
  const posted: PostedComment[] = [];
  const read = async (number: number) => pulls[number - 1] as PullRequest;
  const api: ForgeApi = {
    credential: async () => ({ username: 'acme', password: 'sesame' }),
    identify: async () => ({ id: '1', slug: 'ada/site' }),
    list: async (branch) => pulls.filter(({ head }) => head === branch),
    listNewest: async () => pulls.toReversed(),
    create: async ({ head, commit: headCommit, base, title, body, draft }) => {
      const number = pulls.length + 1;
      const url = `https://git.acme.test/ada/site/pulls/${number}`;
      pulls.push({ url, number, state: 'open', head, headCommit, base, title, body, draft });
      return await read(number);
    },
    read,
    listFiles: async () => ['page.md'],
    listMessages: async () => [],
    rewrite: async ({ number }, text) => Object.assign(await read(number), text),
    label: async () => undefined,
    listComments: async () => posted,
    readThread: async () => ({ id: null, comments: [] }),
    comment: async ({ url }, position, text) => {
      const key = `comment:${posted.length}`;
      posted.push({ key, author: 'acme', authorId: null, text, url, createdAt: 0, changedAt: 0, position });
    },
    mayWrite: async (id) => id === 'ada',
    readChecks: async () => ({ state: 'none', failed: [] }),
    readInvolved: async () => ({ author: 'acme', asked: [] }),
    askForReview: async () => undefined,
    findOwners: async () => nobody,
    findAuthor: async () => undefined,
  };
  const driver: ForgeDriver = {
    knows: (host) => host === 'git.acme.test',
    apiUrlOf: ({ origin }) => `${origin}/api`,
    probe: { path: '/api/hello', isIt: ({ status }, body) => status === 200 && body === '"acme"' },
    open: () => api,
    isSigned: ({ headers, secret }) =>
      headers['x-acme'] === undefined ? undefined : headers['x-acme'] === secret,
  };
  return { driver, pulls, posted };
}

test('a code host is one more line of the list: it is found, opens pull requests and takes comments', async () => {
  const { driver, pulls, posted } = acmeHost();
  const known = { ...drivers, acme: driver };
  const repository = parseRepository('https://git.acme.test/ada/site', ['https']);
  const kind = await detectForge(repository, { fetch }, known);
  expect(kind).toBe('acme');

  const auth = { kind: 'token', token: 'sesame' } as const;
  const options = { kind: 'acme', repository, apiUrl: undefined, auth, fetch, now: Date.now } as const;
  const forge = openForge(options, known);
  const plan = { head: 'job/1', commit: 'c1', base: 'main', title: 'Better', body: 'Why', draft: false };
  expect(await forge.ensurePullRequest(plan)).toMatchObject({ kind: 'created', pullRequest: { number: 1 } });
  expect(await openForge(options, known).ensurePullRequest(plan)).toMatchObject({ kind: 'found' });
  const pull = (await forge.findPullRequest(1)) as PullRequest;
  const comment = { text: 'Done. Message 1', signature: 'Message 1', since: 0 };
  for (let time = 1; time <= 2; time++) await forge.comment(pull, below, comment);
  expect(posted).toMatchObject([{ text: 'Done. Message 1' }]);

  Object.assign(pulls[0] ?? {}, { state: 'merged', merged: { at: '2026-11-20T10:00:00Z', commit: 'c2' } });
  expect(await forge.readMerge((await forge.findPullRequest(1)) as PullRequest)).toMatchObject({
    mergedAt: '2026-11-20T10:00:00Z',
    commit: 'c2',
    files: ['page.md'],
  });
});

test('on a server that nobody knows it is recognised by its answer', async () => {
  const known = { ...drivers, acme: acmeHost().driver };
  const repository = parseRepository('https://code.example.com/ada/site', ['https']);
  const answer = async (address: unknown) =>
    String(address).endsWith('/api/hello') ? Response.json('acme') : new Response('', { status: 404 });
  expect(await detectForge(repository, { fetch: answer as typeof fetch }, known)).toBe('acme');
});

test('its webhooks are known by its signature alone', () => {
  const known = { ...drivers, acme: acmeHost().driver };
  const webhook = { body: Buffer.from('{}'), secret: 'sesame', now: 0 };
  const isTaken = (headers: Record<string, string>) => isSigned({ ...webhook, headers }, known);
  expect([{ 'x-acme': 'sesame' }, { 'x-acme': 'guessed' }, {}].map(isTaken)).toEqual([true, false, false]);
});
