import {
  type ApiAnswer,
  type ApiRequest,
  type ForgeRecord,
  idOf,
  mergedAt,
  type Pull,
  tokenOf,
} from './api.ts';
import { accounts, pageOf } from './comments.ts';
import { answerGiteaComments } from './gitea-comments.ts';
import { askForReview, author, findWriter } from './review.ts';

/** What an instance allows on one page, whatever is asked for. */
const maxPage = 30;

/** Answers in the shapes of https://docs.gitea.com/api/ , as Forgejo does too. */
export async function answerGitea(server: ForgeRecord, request: ApiRequest): Promise<ApiAnswer> {
  const { method, path, query } = request;
  if (path === '/version') return { status: 200, body: { version: '1.25.2' } };
  if (tokenOf(request) !== server.options.token) return refusal(401, 'invalid username, password or token');
  const [, slug = '', rest = ''] = /^\/repos\/([^/]+\/[^/]+)(\/.*)?$/.exec(path) ?? [];
  const refs = await server.git.refs(slug).catch(() => undefined);
  if (!refs) return refusal(404, "The target couldn't be found.");
  const show = (pull: Pull) => showPull(server, pull, refs);
  if (rest === '') return { status: 200, body: { id: idOf(server, slug), full_name: slug } };
  if (rest === '/pulls' && method === 'POST') return await create(server, slug, refs, request.body ?? {});
  if (rest === '/pulls') {
    query.set('per_page', String(Math.min(maxPage, Number(query.get('limit') ?? maxPage))));
    return { status: 200, body: pageOf(await server.list(slug), query).map(show) };
  }
  const changed = await server.find(slug, Number(/^\/pulls\/(\d+)\/files$/.exec(rest)?.[1]));
  if (changed) {
    const files = query.get('page') === '1' ? await server.filesOf(changed) : [];
    return { status: 200, body: files.map((filename) => ({ filename, status: 'changed' })) };
  }
  const merged = await server.find(slug, Number(/^\/pulls\/(\d+)\/commits$/.exec(rest)?.[1]));
  if (merged) {
    const messages = query.get('page') === '1' ? (merged.messages ?? []) : [];
    return { status: 200, body: messages.map((message) => ({ sha: 'x', commit: { message } })) };
  }
  const comments = await answerGiteaComments(server, slug, rest, request);
  if (comments) return comments;
  const [, commit] = /^\/git\/commits\/(\w+)$/.exec(rest) ?? [];
  if (commit !== undefined) {
    const writer = await findWriter(server, slug, commit);
    const login = writer?.login;
    if (!writer) return refusal(404, "The target couldn't be found.");
    return { status: 200, body: { sha: commit, author: login ? { login } : null } };
  }
  const asked = await server.find(slug, Number(/^\/pulls\/(\d+)\/requested_reviewers$/.exec(rest)?.[1]));
  if (asked) return requestReview(asked, request.body as { reviewers: string[] });
  const labelled = await server.find(slug, Number(/^\/issues\/(\d+)\/labels$/.exec(rest)?.[1]));
  if (labelled) {
    labelled.labels.push(...(request.body as { labels: string[] }).labels);
    return { status: 200, body: labelled.labels.map((name, id) => ({ id, name })) };
  }
  const pull = await server.find(slug, Number(/^\/pulls\/(\d+)$/.exec(rest)?.[1]));
  if (pull && method === 'PATCH') {
    Object.assign(pull, request.body);
    pull.draft = isDraft(pull.title);
    return { status: 201, body: show(pull) };
  }
  return pull ? { status: 200, body: show(pull) } : refusal(404, "The target couldn't be found.");
}

function requestReview(pull: Pull, { reviewers }: { reviewers: string[] }): ApiAnswer {
  for (const login of reviewers) {
    if (accounts[login] === undefined) return refusal(404, `User '${login}' not exist`);
    if (!askForReview(pull, login)) return refusal(422, "poster of pr can't be reviewer");
  }
  return {
    status: 201,
    body: reviewers.map((login, id) => ({ id, user: { login }, state: 'REQUEST_REVIEW' })),
  };
}

async function create(
  server: ForgeRecord,
  slug: string,
  refs: Record<string, string>,
  fields: Record<string, unknown>,
): Promise<ApiAnswer> {
  const { head = '', base = '', title = '', body = '' } = fields as Record<string, string>;
  if (head === base)
    return refusal(422, 'Invalid PullRequest: There are no changes between the head and the base');
  if (!refs[`refs/heads/${head}`] || !refs[`refs/heads/${base}`])
    return refusal(404, "The target couldn't be found.");
  const open = (await server.list(slug)).find(
    (pull) => pull.state === 'open' && pull.head === head && pull.base === base,
  );
  if (open) {
    const message = `pull request already exists for these targets [id: ${open.number}, issue_id: ${open.number}, head_repo_id: 1, base_repo_id: 1, head_branch: ${head}, base_branch: ${base}]`;
    return refusal(409, message);
  }
  const pull = await server.open({ slug, head, base, title, body, draft: isDraft(title) });
  return { status: 201, body: showPull(server, pull, refs) };
}

const isDraft = (title: string) => /^(?:wip:|\[wip\])/i.test(title);

function showPull(server: ForgeRecord, pull: Pull, refs: Record<string, string>): unknown {
  const { slug, number, title, body, draft, state, head, base, headCommit } = pull;
  // Once the branch is gone, only the label has its name.
  const ref = refs[`refs/heads/${head}`] ? head : `refs/pull/${number}/head`;
  return {
    id: 1000 + number,
    number,
    title,
    body,
    draft,
    state: state === 'open' ? 'open' : 'closed',
    merged: state === 'merged',
    merged_at: state === 'merged' ? mergedAt : null,
    merge_commit_sha: pull.mergeCommit ?? null,
    html_url: `${server.git.origin}/${slug}/pulls/${number}`,
    head: { label: head, ref, sha: headCommit, repo_id: pull.fork ? 2 : 1 },
    base: { label: base, ref: base, sha: refs[`refs/heads/${base}`] ?? '', repo_id: 1 },
    user: { login: author },
    requested_reviewers: pull.reviewers.map((login) => ({ login })),
    requested_reviewers_teams: null,
  };
}

function refusal(status: number, message: string): ApiAnswer {
  return { status, body: { message, url: 'https://git.example.com/api/swagger' } };
}
