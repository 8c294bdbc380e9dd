import {
  type ApiAnswer,
  type ApiRequest,
  type ForgeRecord,
  idOf,
  mergedAt,
  type Pull,
  tokenOf,
} from './api.ts';
import { pageOf } from './comments.ts';
import { answerGithubComments } from './github-comments.ts';
import { askForReview, author, findWriter } from './review.ts';

const documentation_url = 'https://docs.github.com/rest';

/** Answers as https://docs.github.com/rest does, and holds both sides against the description. */
export async function answerGithub(server: ForgeRecord, request: ApiRequest): Promise<ApiAnswer> {
  const { method, path, query, body } = request;
  const answer = await route(server, request);
  if (path !== '/meta') {
    const exchange = { method, path, query, requestBody: body, status: answer.status, answer: answer.body };
    server.violations.push(...server.description.check(exchange));
  }
  return { ...answer, headers: { 'X-GitHub-Media-Type': 'github.v3; format=json', ...answer.headers } };
}

async function route(server: ForgeRecord, request: ApiRequest): Promise<ApiAnswer> {
  const { method, path } = request;
  if (path === '/meta') return { status: 200, body: { verifiable_password_authentication: true } };
  const [, owner = '', name = '', rest = ''] = /^\/repos\/([^/]+)\/([^/]+)(\/.*)?$/.exec(path) ?? [];
  if (path.startsWith('/app/') || rest === '/installation') return routeApp(server, request);
  const token = tokenOf(request);
  const scoped = server.app.tokens.get(token ?? '');
  const isLate = scoped !== undefined && scoped.expiresAt < server.app.now();
  if (isLate || (token !== server.options.token && !scoped)) return refusal(401, 'Bad credentials');
  const slug = `${owner}/${name}`;
  const refs = await server.git.refs(slug).catch(() => undefined);
  if (!refs || (scoped && !scoped.repositories.includes(name))) return refusal(404, 'Not Found');
  if (rest === '') {
    const sample = server.description.sample('full-repository');
    return { status: 200, body: { ...sample, id: idOf(server, slug), full_name: slug } };
  }
  if (rest === '/pulls' && method === 'GET') return await listPulls(server, slug, request.query);
  if (rest === '/pulls' && method === 'POST') return await createPull(server, slug, refs, request.body ?? {});
  const changed = await server.find(slug, Number(/^\/pulls\/(\d+)\/files$/.exec(rest)?.[1]));
  if (changed) {
    const entry = server.description.sample('diff-entry');
    return { status: 200, body: (await server.filesOf(changed)).map((filename) => ({ ...entry, filename })) };
  }
  const merged = await server.find(slug, Number(/^\/pulls\/(\d+)\/commits$/.exec(rest)?.[1]));
  if (merged) {
    const entry = server.description.sample('commit') as { commit: object };
    const messages = merged.messages ?? [];
    const shown = messages.map((message) => ({ ...entry, commit: { ...entry.commit, message } }));
    return { status: 200, body: shown };
  }
  const comments = await answerGithubComments(server, slug, rest, request);
  if (comments) return comments;
  const [, commit] = /^\/commits\/(\w+)$/.exec(rest) ?? [];
  if (commit !== undefined) return await showCommit(server, slug, commit);
  const asked = await server.find(slug, Number(/^\/pulls\/(\d+)\/requested_reviewers$/.exec(rest)?.[1]));
  if (asked) return requestReview(server, asked, request.body ?? {});
  const labelled = await server.find(slug, Number(/^\/issues\/(\d+)\/labels$/.exec(rest)?.[1]));
  if (labelled) {
    labelled.labels.push(...(request.body as { labels: string[] }).labels);
    const label = server.description.sample('label');
    return { status: 200, body: labelled.labels.map((name) => ({ ...label, name })) };
  }
  const number = Number(/^\/pulls\/(\d+)$/.exec(rest)?.[1]);
  const pull = await server.find(slug, number);
  if (pull && method === 'PATCH') Object.assign(pull, request.body);
  return pull ? { status: 200, body: show(server, pull, 'pull-request') } : refusal(404, 'Not Found');
}

async function listPulls(server: ForgeRecord, slug: string, query: URLSearchParams): Promise<ApiAnswer> {
  const [owner = ''] = slug.split('/');
  const state = query.get('state') ?? 'open';
  const head = query.get('head')?.split(':');
  const found = (await server.list(slug)).filter((pull) => {
    // A head without its owner is no filter at all.
    if (head?.length === 2 && !(head[0] === owner && head[1] === pull.head)) return false;
    return state === 'all' || (state === 'open') === (pull.state === 'open');
  });
  return { status: 200, body: pageOf(found, query).map((pull) => show(server, pull, 'pull-request-simple')) };
}

async function createPull(
  server: ForgeRecord,
  slug: string,
  refs: Record<string, string>,
  body: Record<string, unknown>,
): Promise<ApiAnswer> {
  const { head = '', base = '', title = '', body: text = '', draft = false } = body as Partial<Pull>;
  if (draft && server.options.noDrafts)
    return refusal(422, 'Draft pull requests are not supported in this repository.');
  for (const [field, branch] of [
    ['head', head],
    ['base', base],
  ]) {
    if (!refs[`refs/heads/${branch}`]) return invalid({ field: field ?? '', code: 'invalid' });
  }
  const open = (await server.list(slug)).find(
    (pull) => pull.state === 'open' && pull.head === head && pull.base === base,
  );
  const [owner] = slug.split('/');
  if (open)
    return invalid({ code: 'custom', message: `A pull request already exists for ${owner}:${head}.` });
  if ((await server.countCommits(slug, base, head)) === 0) {
    return invalid({ code: 'custom', message: `No commits between ${base} and ${head}` });
  }
  const pull = await server.open({ slug, head, base, title, body: text, draft });
  return { status: 201, body: show(server, pull, 'pull-request') };
}

/** The two mutations of https://docs.github.com/graphql that set the draft state of an open pull request. */
export function answerGraphql(
  server: ForgeRecord,
  { query = '', variables = {} }: { query?: string; variables?: { id?: string } },
  token: string | undefined,
): ApiAnswer {
  if (token !== server.options.token && !server.app.tokens.has(token ?? ''))
    return refusal(401, 'Bad credentials');
  const [, name] = /\b(convertPullRequestToDraft|markPullRequestReadyForReview)\(/.exec(query) ?? [];
  const pull = server.pulls.find((one) => nodeIdOf(one) === variables.id);
  const draft = name === 'convertPullRequestToDraft';
  const message = !pull
    ? `Could not resolve to a node with the global id of '${variables.id}'`
    : draft && server.options.noDrafts
      ? 'Draft pull requests are not supported in this repository.'
      : undefined;
  if (!pull || !name || message) return { status: 200, body: { data: null, errors: [{ message }] } };
  pull.draft = draft;
  return { status: 200, body: { data: { [name]: { pullRequest: { isDraft: draft } } } } };
}

const nodeIdOf = ({ slug, number }: Pull) => `PR_${slug}_${number}`;

function requestReview(server: ForgeRecord, pull: Pull, fields: Record<string, unknown>): ApiAnswer {
  const { reviewers = [], team_reviewers: teams = [] } = fields as Record<string, string[]>;
  for (const login of [...reviewers, ...teams.map((slug) => `team/${slug}`)]) {
    if (askForReview(pull, login)) continue;
    const why = login === author ? 'Review cannot be requested from pull request author.' : outsiders;
    return { status: 422, body: { message: why, documentation_url, status: '422' } };
  }
  return { status: 201, body: show(server, pull, 'pull-request-simple') };
}

const outsiders =
  'Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the repository.';

async function showCommit(server: ForgeRecord, slug: string, hash: string): Promise<ApiAnswer> {
  const writer = await findWriter(server, slug, hash);
  if (!writer) return refusal(404, 'Not Found');
  const { description } = server;
  const type = writer.login?.endsWith('[bot]') ? 'Bot' : 'User';
  const account = writer.login && { ...description.sample('simple-user'), login: writer.login, type };
  return { status: 200, body: { ...description.sample('commit'), sha: hash, author: account ?? null } };
}

function routeApp(server: ForgeRecord, request: ApiRequest): ApiAnswer {
  const { app, description } = server;
  if (!app.isSigned(tokenOf(request))) return refusal(401, 'A JSON web token could not be decoded');
  if (request.method === 'GET') {
    return { status: 200, body: { ...description.sample('installation'), id: app.installationId } };
  }
  if (!request.path.includes(`/${app.installationId}/`)) return refusal(404, 'Not Found');
  const { repositories, permissions } = (request.body ?? {}) as {
    repositories: string[];
    permissions: Record<string, string>;
  };
  if (Object.entries(permissions).some(([name, level]) => app.permissions[name] !== level)) {
    return invalid({
      code: 'custom',
      message: 'The permissions requested are not granted to this installation.',
    });
  }
  const made = app.make(repositories, permissions);
  return { status: 201, body: { ...description.sample('installation-token'), ...made, permissions } };
}

function show(server: ForgeRecord, pull: Pull, schema: string): unknown {
  const { slug, number, state, title, body, draft } = pull;
  const [login = '', name = ''] = slug.split('/');
  const { description } = server;
  const user = { ...description.sample('simple-user'), login };
  const repo = { ...description.sample('repository'), name, full_name: slug, owner: user };
  const requested_reviewers = pull.reviewers
    .filter((one) => !one.startsWith('team/'))
    .map((one) => ({ ...description.sample('simple-user'), login: one }));
  const requested_teams = pull.reviewers
    .filter((one) => one.startsWith('team/'))
    .map((one) => ({ ...description.sample('team'), slug: one.slice('team/'.length) }));
  const side = (ref: string, sha: string) => ({ label: `${login}:${ref}`, ref, sha, user, repo });
  const head = side(pull.head, pull.headCommit);
  return {
    ...description.sample(schema),
    ...{ number, node_id: nodeIdOf(pull), title, body, draft, user: { ...user, login: author } },
    ...{ requested_reviewers, requested_teams },
    state: state === 'open' ? 'open' : 'closed',
    html_url: `${server.git.origin}/${slug}/pull/${number}`,
    merged_at: state === 'merged' ? mergedAt : null,
    merge_commit_sha: pull.mergeCommit ?? null,
    head: pull.fork ? { ...head, repo: { ...repo, full_name: pull.fork } } : head,
    base: side(pull.base, pull.headCommit),
  };
}

function refusal(status: number, message: string): ApiAnswer {
  return { status, body: { message, documentation_url, status: String(status) } };
}

function invalid(error: { code: string; field?: string; message?: string }): ApiAnswer {
  const errors = [{ resource: 'PullRequest', ...error }];
  return { status: 422, body: { message: 'Validation Failed', errors, documentation_url, status: '422' } };
}
