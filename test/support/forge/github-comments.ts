import type { ApiAnswer, ApiRequest, ForgeRecord, Pull } from './api.ts';
import { accounts, listed, type Posted, pageOf, timeOf } from './comments.ts';

/** Undefined: it is about something else. */
export async function answerGithubComments(
  server: ForgeRecord,
  slug: string,
  rest: string,
  request: ApiRequest,
): Promise<ApiAnswer | undefined> {
  const [, login = ''] = /^\/collaborators\/([^/]+)\/permission$/.exec(rest) ?? [];
  if (login !== '') return answerPermission(server, decodeURIComponent(login));
  const commit = /^\/commits\/([0-9a-f]+)\/(check-runs|status)$/.exec(rest);
  if (commit) return answerCommit(server, commit[1] ?? '', commit[2] ?? '', request.query);
  const run = /^\/check-runs\/(\d+)\/annotations$/.exec(rest);
  if (run) return answerAnnotations(server, Number(run[1]));
  const [, number, place = ''] =
    /^\/(?:issues|pulls)\/(\d+)\/(comments|reviews|comments\/\d+\/replies)$/.exec(rest) ?? [];
  const pull = await server.find(slug, Number(number));
  if (!pull) return undefined;
  return rest.startsWith('/issues/')
    ? answerComments(server, pull, request)
    : answerLines(server, pull, place, request);
}

function answerPermission({ description }: ForgeRecord, login: string): ApiAnswer {
  const permission = accounts[login];
  if (permission === undefined) {
    const body = {
      message: `${login} is not a user`,
      documentation_url: 'https://docs.github.com',
      status: '404',
    };
    return { status: 404, body };
  }
  const sample = description.sample('repository-collaborator-permission');
  return { status: 200, body: { ...sample, permission, role_name: permission } };
}

function answerComments(server: ForgeRecord, pull: Pull, { method, query, body }: ApiRequest): ApiAnswer {
  const show = (one: Posted) => ({ ...show3(server, pull, one, 'issue-comment', `issuecomment-${one.id}`) });
  if (method === 'GET') return { status: 200, body: listed(pull.posted, ['comment'], query).map(show) };
  const { body: text } = body as { body: string };
  pull.comments.push(text);
  const posted = server.post(pull, { by: 'ada', text });
  return { status: 201, body: show(posted) };
}

function answerLines(server: ForgeRecord, pull: Pull, place: string, { query, body }: ApiRequest): ApiAnswer {
  if (place === 'reviews') {
    const reviews = listed(pull.posted, ['review'], query);
    return { status: 200, body: reviews.map((one) => showReview(server, pull, one)) };
  }
  if (place === 'comments') {
    const lines = listed(pull.posted, ['line'], query);
    return { status: 200, body: lines.map((one) => showLine(server, pull, one)) };
  }
  const root = pull.posted.find(({ id }) => id === Number(place.split('/')[1]));
  if (!root || root.root !== root.id)
    return { status: 404, body: { message: 'Not Found', documentation_url: 'x', status: '404' } };
  const text = (body as { body: string }).body;
  const { file, line, id } = root;
  const posted = server.post(pull, { by: 'ada', text, file: file ?? '', line: line ?? 1, replyTo: id });
  return { status: 201, body: showLine(server, pull, posted) };
}

function show3(server: ForgeRecord, pull: Pull, one: Posted, schema: string, anchor: string) {
  const { description } = server;
  const type = one.by.endsWith('[bot]') ? 'Bot' : 'User';
  return {
    ...description.sample(schema),
    id: one.id,
    body: one.text,
    user: { ...description.sample('simple-user'), login: one.by, type },
    html_url: `${server.git.origin}/${pull.slug}/pull/${pull.number}#${anchor}`,
    created_at: timeOf(one),
    updated_at: timeOf(one),
  };
}

function showLine(server: ForgeRecord, pull: Pull, one: Posted) {
  const shown = show3(server, pull, one, 'pull-request-review-comment', `discussion_r${one.id}`);
  const reply = one.root === one.id ? {} : { in_reply_to_id: one.root };
  return { ...shown, path: one.file, line: one.line, original_line: one.line, ...reply };
}

function showReview(server: ForgeRecord, pull: Pull, one: Posted) {
  const { created_at, updated_at, ...shown } = show3(
    server,
    pull,
    one,
    'pull-request-review',
    `pullrequestreview-${one.id}`,
  );
  return { ...shown, state: 'COMMENTED', submitted_at: created_at };
}

function answerCommit(
  { checks, description }: ForgeRecord,
  commit: string,
  what: string,
  query: URLSearchParams,
): ApiAnswer {
  const all = checks.get(commit) ?? [];
  const found = pageOf(all, query);
  if (what === 'status') {
    const sample = description.sample('combined-commit-status');
    return { status: 200, body: { ...sample, state: 'pending', sha: commit, total_count: 0, statuses: [] } };
  }
  const runs = found.map(({ name, state, text }, i) => ({
    ...description.sample('check-run'),
    id: i + 1,
    name,
    head_sha: commit,
    status: state === 'pending' ? 'in_progress' : 'completed',
    conclusion: state === 'pending' ? null : state,
    html_url: 'https://github.com/runs/1',
    output: {
      title: text,
      summary: null,
      text: null,
      annotations_count: 0,
      annotations_url: 'https://api.github.com/x',
    },
  }));
  return { status: 200, body: { total_count: all.length, check_runs: runs } };
}

function answerAnnotations({ description }: ForgeRecord, _id: number): ApiAnswer {
  const sample = description.sample('check-annotation');
  return { status: 200, body: [{ ...sample, path: 'page.md', start_line: 3, message: 'A dead link.' }] };
}
