import type { ApiAnswer, ApiRequest, ForgeRecord, Pull } from './api.ts';
import { accounts, listed, type Posted, pageOf, timeOf } from './comments.ts';

/** Undefined: it is about something else. */
export async function answerGiteaComments(
  server: ForgeRecord,
  slug: string,
  rest: string,
  request: ApiRequest,
): Promise<ApiAnswer | undefined> {
  const [, login] = /^\/collaborators\/([^/]+)\/permission$/.exec(rest) ?? [];
  if (login !== undefined) return answerPermission(decodeURIComponent(login));
  const [, commit] = /^\/commits\/([0-9a-f]+)\/status$/.exec(rest) ?? [];
  if (commit !== undefined) return answerStatus(server, commit, request.query);
  const [, number, place = ''] =
    /^\/(?:issues|pulls)\/(\d+)\/(comments|reviews|reviews\/\d+\/comments)$/.exec(rest) ?? [];
  const pull = await server.find(slug, Number(number));
  if (!pull) return undefined;
  if (place === 'comments') return answerComments(server, pull, request);
  if (place === 'reviews' && request.method === 'POST') return createReview(server, pull, request);
  if (place === 'reviews') return { status: 200, body: showReviews(server, pull, request.query) };
  // A review of its own for each thread.
  const root = Number(place.split('/')[1]);
  const lines = pull.posted.filter((one) => one.kind === 'line' && one.root === root);
  return { status: 200, body: lines.map((one) => showLine(server, pull, one)) };
}

function answerPermission(login: string): ApiAnswer {
  const permission = accounts[login];
  if (permission === undefined) return { status: 404, body: { message: 'user does not exist' } };
  return { status: 200, body: { permission, role_name: permission, user: { login } } };
}

function answerComments(server: ForgeRecord, pull: Pull, { method, query, body }: ApiRequest): ApiAnswer {
  const show = (one: Posted) => showComment(server, pull, one);
  if (method === 'POST') {
    const { body: text = '' } = body as Record<string, string>;
    pull.comments.push(text);
    return { status: 201, body: show(server.post(pull, { by: 'ada', text })) };
  }
  const asked = new URLSearchParams(query);
  if (!server.pagesComments) asked.delete('page');
  asked.set('per_page', server.pagesComments ? '30' : '100000');
  return { status: 200, body: listed(pull.posted, ['comment'], asked).map(show) };
}

function showComment(server: ForgeRecord, { slug, number }: Pull, one: Posted) {
  return {
    id: one.id,
    body: one.text,
    html_url: `${server.git.origin}/${slug}/pulls/${number}#issuecomment-${one.id}`,
    user: { login: one.by },
    created_at: timeOf(one),
    updated_at: timeOf(one),
  };
}

function showLine(server: ForgeRecord, pull: Pull, one: Posted) {
  const shown = showComment(server, pull, one);
  return {
    ...shown,
    path: one.file,
    position: one.line,
    original_position: 0,
    pull_request_review_id: one.root,
  };
}

function showReviews(server: ForgeRecord, pull: Pull, query: URLSearchParams): unknown[] {
  if (query.get('page') !== '1') return [];
  return pull.posted
    .filter(({ kind, id, root }) => kind === 'review' || (kind === 'line' && id === root))
    .map((one) => {
      const { id, user, html_url } = showComment(server, pull, one);
      const comments = pull.posted.filter(({ kind, root }) => kind === 'line' && root === one.id);
      const body = one.kind === 'review' ? one.text : '';
      const at = timeOf(one);
      return {
        id,
        user,
        html_url,
        body,
        state: 'COMMENT',
        submitted_at: at,
        comments_count: comments.length,
      };
    });
}

/** At the line of a thread, it belongs to that thread. */
function createReview(server: ForgeRecord, pull: Pull, { body }: ApiRequest): ApiAnswer {
  const { comments } = body as { comments: { path: string; body: string; new_position: number }[] };
  for (const { path, body: text, new_position: line } of comments) {
    const root = pull.posted.find((one) => one.kind === 'line' && one.file === path && one.line === line);
    const reply = root ? { replyTo: root.root } : {};
    server.post(pull, { by: 'ada', text, file: path, line, ...reply });
  }
  return { status: 200, body: { id: 1, state: 'COMMENT', html_url: server.git.origin } };
}

/** An instance gives fewer on a page than it is asked for. */
function answerStatus({ checks }: ForgeRecord, commit: string, query: URLSearchParams): ApiAnswer {
  const found = checks.get(commit) ?? [];
  const all = found.map(({ name, state, text }, id) => ({
    id,
    context: name,
    status: state,
    description: text,
    target_url: 'https://ci.example.com/1',
  }));
  const statuses = pageOf(all, query);
  return { status: 200, body: { state: 'failure', sha: commit, total_count: all.length, statuses } };
}
