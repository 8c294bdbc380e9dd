import { type ApiAnswer, type ApiRequest, type ForgeRecord, mergedAt, type Pull, tokenOf } from './api.ts';
import { answerBitbucketComments, answerPermissions, showAccount, uuidOf } from './bitbucket-comments.ts';
import { accounts, pageOf } from './comments.ts';
import { author, findWriter } from './review.ts';

/** The address to sign in with an API token of an account. */
export const accountEmail = 'ada@example.com';

/** Answers in the shapes of https://developer.atlassian.com/cloud/bitbucket/rest/ */
export async function answerBitbucket(server: ForgeRecord, request: ApiRequest): Promise<ApiAnswer> {
  const { method, path, query, body = {} } = request;
  if (!isKnown(server, request))
    return refusal(401, 'Token is invalid, expired, or not supported for this endpoint.');
  if (path.startsWith('/workspaces/')) return answerPermissions(query);
  const [, slug = '', rest = ''] = /^\/repositories\/([^/]+\/[^/]+)(\/.*)?$/.exec(path) ?? [];
  const refs = await server.git.refs(slug).catch(() => undefined);
  if (!refs) return refusal(404, `Repository ${slug} not found`);
  if (rest === '') return { status: 200, body: { type: 'repository', uuid: '{1}', full_name: slug } };
  const [, hash] = /^\/commit\/(\w+)$/.exec(rest) ?? [];
  if (hash !== undefined) return await showCommit(server, slug, hash);
  const [, spec] = /^\/diffstat\/(.+)$/.exec(rest) ?? [];
  if (spec !== undefined)
    return await showFiles(server, await server.find(slug, Number(query.get('from_pullrequest_id'))));
  if (rest === '/effective-default-reviewers') {
    const values = server.defaultReviewers.map((login) => ({
      type: 'default_reviewer_and_type',
      reviewer_type: 'repository',
      user: showAccount(login),
    }));
    return page(values);
  }
  if (rest === '/pullrequests' && method === 'POST') return await create(server, slug, refs, body);
  if (rest === '/pullrequests') return list(server, await server.list(slug), query);
  const [, number, part = ''] = /^\/pullrequests\/(\d+)(?:\/(\w+))?$/.exec(rest) ?? [];
  const pull = await server.find(slug, Number(number));
  if (!pull) return refusal(404, `Pull request ${number} not found`);
  return (
    answerBitbucketComments(server, pull, part, request) ?? answerPull(server, pull, { part, method, body })
  );
}

/** An access token comes as Bearer, and an API token with the address of its account as Basic. */
function isKnown(server: ForgeRecord, request: ApiRequest): boolean {
  if (tokenOf(request) !== server.options.token) return false;
  const [scheme = '', value = ''] = (request.req.headers.authorization ?? '').split(' ');
  return scheme === 'Bearer' || Buffer.from(value, 'base64').toString().startsWith(`${accountEmail}:`);
}

function answerPull(
  server: ForgeRecord,
  pull: Pull,
  { part, method, body }: { part: string; method: string; body: Record<string, unknown> },
): ApiAnswer {
  if (part === 'activity') return page(activityOf(pull));
  if (part === 'commits') return page((pull.messages ?? []).toReversed().map((message) => ({ message })));
  if (part === 'diffstat') {
    const spec = `${pull.slug}:${short(pull.headCommit)}%0D${short(pull.headCommit)}`;
    const path = `/repositories/${pull.slug}/diffstat/${spec}?from_pullrequest_id=${pull.number}&topic=true`;
    return { status: 302, body: {}, headers: { Location: `${server.git.origin}/api/2.0${path}` } };
  }
  if (method !== 'PUT') return { status: 200, body: show(server, pull) };
  const { title, description = pull.body, draft = pull.draft } = body;
  const { reviewers: named = [] } = body as { reviewers?: { uuid: string }[] };
  if (typeof title !== 'string') return refusal(400, 'Bad request', { title: ['required key not provided'] });
  if (pull.state !== 'open') return refusal(400, 'Only open pull requests can be mutated');
  const reviewers = named.map(
    ({ uuid }) => Object.keys(accounts).find((login) => uuidOf(login) === uuid) ?? uuid,
  );
  const wrong = reviewers.find((login) => login === author || accounts[login] === undefined);
  if (wrong === author)
    return refusal(400, 'reviewers: Ada is the author and cannot be included as a reviewer.');
  if (wrong) return refusal(400, `reviewers: ${wrong} does not have access to view this pull request`);
  Object.assign(pull, { title, body: description, draft, reviewers });
  return { status: 200, body: show(server, pull) };
}

async function create(
  server: ForgeRecord,
  slug: string,
  refs: Record<string, string>,
  fields: Record<string, unknown>,
): Promise<ApiAnswer> {
  const {
    title,
    description,
    draft = false,
  } = fields as { title: string; description: string; draft?: boolean };
  const { source, destination } = fields as Record<string, { branch: { name: string } }>;
  const head = source?.branch.name ?? '';
  const base = destination?.branch.name ?? '';
  if (!refs[`refs/heads/${head}`])
    return refusal(400, 'Bad request', { source: [`branch not found: ${head}`] });
  if (!refs[`refs/heads/${base}`])
    return refusal(400, 'Bad request', { destination: [`branch not found: ${base}`] });
  if ((await server.countCommits(slug, base, head)) === 0)
    return refusal(400, 'There are no changes to be pulled');
  // One that is there already is answered with, whatever was asked for.
  const open = (await server.list(slug)).find(
    (pull) => pull.state === 'open' && pull.head === head && pull.base === base,
  );
  const pull = open ?? (await server.open({ slug, head, base, title, body: description, draft }));
  return { status: 201, body: show(server, pull) };
}

function list(server: ForgeRecord, pulls: Pull[], query: URLSearchParams): ApiAnswer {
  const states = query.has('state') ? query.getAll('state') : ['OPEN'];
  const [, head] = /^source\.branch\.name = (".*")$/.exec(query.get('q') ?? '') ?? [];
  const found = pulls.filter(
    (pull) => states.includes(stateOf(pull)) && (!head || pull.head === JSON.parse(head)),
  );
  return page(pageOf(found, query).map((pull) => show(server, pull)));
}

async function showCommit(server: ForgeRecord, slug: string, hash: string): Promise<ApiAnswer> {
  const whole = await server.git
    .git(slug, ['rev-parse', '--verify', '--quiet', `${hash}^{commit}`])
    .catch(() => '');
  return whole === ''
    ? refusal(404, `Commit not found: ${hash}`)
    : {
        status: 200,
        body: { type: 'commit', hash: whole.trim(), author: await showWriter(server, slug, whole) },
      };
}

async function showWriter(server: ForgeRecord, slug: string, hash: string): Promise<unknown> {
  const writer = await findWriter(server, slug, hash.trim());
  const user = writer?.login && { user: showAccount(writer.login) };
  return { type: 'author', raw: `Somebody <${writer?.address}>`, ...user };
}

async function showFiles(server: ForgeRecord, pull: Pull | undefined): Promise<ApiAnswer> {
  const files = (pull ? await server.filesOf(pull) : []).map((path) => ({
    status: 'modified',
    old: { path },
    new: { path },
  }));
  return page(files);
}

/** Newest first, and what people do to the text of a merged one counts as an update of a merged one. */
function activityOf(pull: Pull): unknown[] {
  const merged = [
    { update: { state: 'MERGED', date: '2026-11-21T08:00:00+00:00', title: pull.title } },
    { update: { state: 'MERGED', date: mergedAt, title: pull.title } },
  ];
  const opened = { update: { state: 'OPEN', date: '2026-11-19T10:00:00+00:00', title: pull.title } };
  return [{ comment: { id: 1 } }, ...(pull.state === 'merged' ? merged : []), opened];
}

function show(
  server: ForgeRecord,
  { slug, number, title, body, draft, head, base, headCommit, mergeCommit, ...pull }: Pull,
): unknown {
  const repository = { type: 'repository', full_name: slug, uuid: '{1}' };
  return {
    type: 'pullrequest',
    id: number,
    title,
    description: body,
    draft,
    state: stateOf(pull),
    author: showAccount(author),
    reviewers: pull.reviewers.map(showAccount),
    merge_commit: mergeCommit ? { type: 'commit', hash: short(mergeCommit) } : null,
    updated_on: '2026-11-21T08:00:00+00:00',
    source: {
      branch: { name: head },
      commit: { type: 'commit', hash: short(headCommit) },
      repository: pull.fork ? { type: 'repository', full_name: pull.fork, uuid: '{2}' } : repository,
    },
    destination: { branch: { name: base }, commit: null, repository },
    links: { html: { href: `${server.git.origin}/${slug}/pull-requests/${number}` } },
  };
}

const page = (values: unknown[]): ApiAnswer => ({ status: 200, body: { values, pagelen: 50, page: 1 } });
const short = (hash: string) => hash.slice(0, 12);

function stateOf({ state }: Pick<Pull, 'state'>): string {
  return { open: 'OPEN', merged: 'MERGED', closed: 'DECLINED' }[state];
}

function refusal(status: number, message: string, fields?: Record<string, string[]>): ApiAnswer {
  return { status, body: { type: 'error', error: { ...(fields && { fields }), message } } };
}
