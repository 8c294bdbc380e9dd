import {
  type ApiAnswer,
  type ApiRequest,
  type ForgeRecord,
  idOf,
  mergedAt,
  type Pull,
  tokenOf,
} from './api.ts';
import { accounts, addressOf, numberOfAccount, pageOf } from './comments.ts';
import { answerGitlabComments } from './gitlab-comments.ts';
import { author, findWriter } from './review.ts';

/** Answers in the shapes of https://docs.gitlab.com/api/merge_requests/ */
export async function answerGitlab(server: ForgeRecord, request: ApiRequest): Promise<ApiAnswer> {
  const answer = await route(server, request);
  return { ...answer, headers: { 'X-Gitlab-Meta': '{"version":"1"}', ...answer.headers } };
}

async function route(server: ForgeRecord, request: ApiRequest): Promise<ApiAnswer> {
  if (tokenOf(request) !== server.options.token)
    return { status: 401, body: { message: '401 Unauthorized' } };
  const { method, path, query } = request;
  if (path === '/version') return { status: 200, body: { version: '18.5.0', revision: 'x' } };
  if (path === '/users') return listUsers(query);
  const [, project = '', rest = ''] = /^\/projects\/([^/]+)(\/.*)?$/.exec(path) ?? [];
  const slug = decodeURIComponent(project);
  const refs = await server.git.refs(slug).catch(() => undefined);
  if (!refs) return { status: 404, body: { message: '404 Project Not Found' } };
  if (rest === '') return { status: 200, body: { id: idOf(server, slug), path_with_namespace: slug } };
  if (rest === '/merge_requests' && method === 'POST')
    return await create(server, slug, refs, request.body ?? {});
  if (rest === '/merge_requests') {
    const source = query.get('source_branch');
    const found = (await server.list(slug)).filter((pull) => source === null || pull.head === source);
    return { status: 200, body: pageOf(found, query).map((pull) => show(server, pull)) };
  }
  const changed = await server.find(slug, Number(/^\/merge_requests\/(\d+)\/diffs$/.exec(rest)?.[1]));
  if (changed) {
    const paths = await server.filesOf(changed);
    return { status: 200, body: paths.map((path) => ({ old_path: path, new_path: path })) };
  }
  const merged = await server.find(slug, Number(/^\/merge_requests\/(\d+)\/commits$/.exec(rest)?.[1]));
  if (merged) {
    const newestFirst = (merged.messages ?? []).toReversed();
    return { status: 200, body: newestFirst.map((message) => ({ id: 'x', message })) };
  }
  const comments = await answerGitlabComments(server, slug, rest, request);
  if (comments) return comments;
  const [, commit] = /^\/repository\/commits\/(\w+)$/.exec(rest) ?? [];
  if (commit !== undefined) return await showCommit(server, slug, commit);
  const pull = await server.find(slug, Number(/^\/merge_requests\/(\d+)$/.exec(rest)?.[1]));
  if (pull && method === 'PUT') {
    const { description = pull.body, add_labels: added } = request.body as Record<string, string>;
    const { reviewer_ids: reviewers } = request.body as { reviewer_ids?: number[] };
    const { title } = request.body as { title?: string };
    pull.body = description;
    if (title !== undefined) Object.assign(pull, { title, draft: isDraft(title) });
    pull.labels.push(...(added?.split(',') ?? []));
    if (reviewers) setReviewers(server, pull, reviewers);
  }
  return pull
    ? { status: 200, body: show(server, pull) }
    : { status: 404, body: { message: '404 Not found' } };
}

/** Without Premium one alone is kept, and who has no access is passed over. */
function setReviewers({ options }: ForgeRecord, pull: Pull, ids: readonly number[]): void {
  const found = ids.flatMap((id) => Object.keys(accounts)[id - 1] ?? []);
  pull.reviewers = options.oneReviewer ? found.slice(0, 1) : found;
}

/** By a name, or a part of a name or of an address that is public. */
function listUsers(query: URLSearchParams): ApiAnswer {
  const [username, search] = [query.get('username'), query.get('search')];
  const found = Object.keys(accounts).filter((login) =>
    username === null ? login !== 'mallory' && addressOf(login).includes(search ?? '') : login === username,
  );
  const humans = found.filter((login) => !login.endsWith('[bot]') || query.get('humans') !== 'true');
  return {
    status: 200,
    body: humans.map((login) => ({ ...showUser(login), public_email: addressOf(login) })),
  };
}

const showUser = (login: string) => ({ id: numberOfAccount(login), username: login, state: 'active' });

async function showCommit(server: ForgeRecord, slug: string, hash: string): Promise<ApiAnswer> {
  const writer = await findWriter(server, slug, hash);
  return writer
    ? { status: 200, body: { id: hash, author_name: 'Somebody', author_email: writer.address } }
    : { status: 404, body: { message: '404 Commit Not Found' } };
}

async function create(
  server: ForgeRecord,
  slug: string,
  refs: Record<string, string>,
  fields: Record<string, unknown>,
): Promise<ApiAnswer> {
  const {
    source_branch: head = '',
    target_branch: base = '',
    title = '',
    description = '',
  } = fields as Record<string, string>;
  for (const [field, branch] of [
    ['source_branch', head],
    ['target_branch', base],
  ]) {
    if (!refs[`refs/heads/${branch}`])
      return { status: 400, body: { message: { [field ?? '']: ['does not exist'] } } };
  }
  const open = (await server.list(slug)).find(
    (pull) => pull.state === 'open' && pull.head === head && !pull.fork,
  );
  if (open) {
    const message = [`Another open merge request already exists for this source branch: !${open.number}`];
    return { status: 409, body: { message } };
  }
  const pull = await server.open({ slug, head, base, title, body: description, draft: isDraft(title) });
  return { status: 201, body: show(server, pull) };
}

const isDraft = (title: string) => /^(?:draft:|\[draft\]|\(draft\))/i.test(title);

function show(
  server: ForgeRecord,
  {
    slug,
    number,
    title,
    body,
    draft,
    state,
    isMerging,
    head,
    base,
    headCommit,
    fork,
    mergeCommit,
    reviewers,
  }: Pull,
): unknown {
  return {
    id: 1000 + number,
    iid: number,
    project_id: 1,
    title,
    description: body,
    state: isMerging ? 'locked' : state === 'open' ? 'opened' : state,
    draft,
    merged_at: state === 'merged' ? mergedAt : null,
    source_branch: head,
    target_branch: base,
    source_project_id: fork ? 2 : 1,
    target_project_id: 1,
    sha: headCommit,
    merge_commit_sha: mergeCommit ?? null,
    squash_commit_sha: null,
    web_url: `${server.git.origin}/${slug}/-/merge_requests/${number}`,
    author: showUser(author),
    reviewers: reviewers.map(showUser),
  };
}
