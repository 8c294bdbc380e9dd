import type { ApiAnswer, ApiRequest, ForgeRecord, Pull } from './api.ts';
import { accounts, listed, numberOfAccount, type Posted, pageOf, timeOf } from './comments.ts';

const levels = { admin: 50, write: 30, read: 20 };

/** Undefined: it is about something else. */
export async function answerGitlabComments(
  server: ForgeRecord,
  slug: string,
  rest: string,
  request: ApiRequest,
): Promise<ApiAnswer | undefined> {
  const [, user] = /^\/members\/all\/(\d+)$/.exec(rest) ?? [];
  if (user !== undefined) return answerMember(Number(user));
  const [, pipeline] = /^\/pipelines\/(\d+)\/jobs$/.exec(rest) ?? [];
  if (pipeline !== undefined) return answerJobs(server, Number(pipeline), request.query);
  const [, number, place = ''] =
    /^\/merge_requests\/(\d+)\/(notes|pipelines|discussions.*)$/.exec(rest) ?? [];
  const pull = await server.find(slug, Number(number));
  if (!pull) return undefined;
  if (place === 'pipelines') return answerPipelines(server, pull);
  if (place === 'discussions') return { status: 200, body: showDiscussions(pull, request.query) };
  const { body: text = '' } = (request.body ?? {}) as Record<string, string>;
  const [, thread] = /^discussions\/d(\d+)\/notes$/.exec(place) ?? [];
  if (thread !== undefined) {
    const root = pull.posted.find(({ id }) => id === Number(thread));
    if (!root) return { status: 404, body: { message: '404 Discussion Not Found' } };
    const at = root.file === null ? {} : { file: root.file, line: root.line ?? 1 };
    const posted = server.post(pull, { by: 'ada', text, ...at, replyTo: root.id });
    return { status: 201, body: showNote(posted) };
  }
  if (request.method === 'POST') {
    pull.comments.push(text);
    return { status: 201, body: showNote(server.post(pull, { by: 'ada', text })) };
  }
  const notes = listed(pull.posted, ['comment', 'line'], request.query);
  return { status: 200, body: notes.map(showNote) };
}

/** Reporters and strangers are different: strangers are no members. */
function answerMember(id: number): ApiAnswer {
  const [login, level] = Object.entries(accounts)[id - 1] ?? [];
  if (login === undefined || level === undefined || level === 'read') {
    return { status: 404, body: { message: '404 Not found' } };
  }
  return { status: 200, body: { id, username: login, state: 'active', access_level: levels[level] } };
}

/** Those with their notes, oldest first. */
function showDiscussions({ posted }: Pull, query: URLSearchParams): unknown[] {
  const page = Number(query.get('page') ?? 1);
  if (page > 1) return [];
  const roots = Map.groupBy(
    posted.filter(({ kind }) => kind !== 'review'),
    ({ root }) => root,
  );
  return [...roots].map(([root, notes]) => ({
    id: `d${root}`,
    individual_note: notes.length === 1 && notes[0]?.file === null,
    notes: notes.map(showNote),
  }));
}

function showNote(one: Posted): object {
  const { id, by, text, file, line } = one;
  const position = { position_type: 'text', new_path: file, old_path: file, new_line: line, old_line: null };
  return {
    id,
    type: file === null ? null : 'DiffNote',
    body: text,
    author: { id: numberOfAccount(by), username: by.replace(/\[bot\]$/, '_bot'), state: 'active' },
    created_at: timeOf(one),
    updated_at: timeOf(one),
    system: false,
    internal: false,
    noteable_type: 'MergeRequest',
    ...(file !== null && { position }),
  };
}

function answerPipelines({ checks }: ForgeRecord, { headCommit }: Pull): ApiAnswer {
  const found = checks.get(headCommit) ?? [];
  if (found.length === 0) return { status: 200, body: [] };
  const status = found.some(({ state }) => state === 'pending')
    ? 'running'
    : found.some(({ state }) => state === 'failure')
      ? 'failed'
      : 'success';
  return {
    status: 200,
    body: [{ id: Number.parseInt(headCommit.slice(0, 8), 16), sha: headCommit, status }],
  };
}

function answerJobs({ checks }: ForgeRecord, pipeline: number, query: URLSearchParams): ApiAnswer {
  const [, found = []] =
    [...checks].find(([commit]) => Number.parseInt(commit.slice(0, 8), 16) === pipeline) ?? [];
  const failed = found.filter(({ state }) => state === 'failure');
  const body = pageOf(failed, query, 20).map(({ name, text }, id) => ({
    id,
    name,
    status: 'failed',
    failure_reason: text,
    allow_failure: false,
    web_url: 'https://gitlab.com/jobs/1',
  }));
  return { status: 200, body };
}
