import type { ApiAnswer, ApiRequest, ForgeRecord, Pull } from './api.ts';
import { accounts, listed, numberOfAccount, type Posted, pageOf, timeOf } from './comments.ts';

const page = (values: unknown[]): ApiAnswer => ({ status: 200, body: { values, pagelen: 50, page: 1 } });
export const uuidOf = (login: string) => `{${numberOfAccount(login)}}`;

/** What everybody may do in a repository, together with their groups. */
export function answerPermissions(query: URLSearchParams): ApiAnswer {
  const [, uuid] = /^user\.uuid = "(\{\d+\})"$/.exec(query.get('q') ?? '') ?? [];
  const found = Object.entries(accounts).filter(([login]) => uuidOf(login) === uuid);
  return page(found.map(([login, permission]) => ({ permission, user: { uuid: uuidOf(login) } })));
}

/** Undefined: it is about something else. */
export function answerBitbucketComments(
  server: ForgeRecord,
  pull: Pull,
  part: string,
  { method, query, body }: ApiRequest,
): ApiAnswer | undefined {
  if (part === 'statuses') return showStatuses(server, pull, query);
  if (part !== 'comments') return undefined;
  const show = (one: Posted) => showComment(server, pull, one);
  if (method !== 'POST') {
    const newestFirst = new URLSearchParams(query);
    newestFirst.set('sort', 'desc');
    return page(listed(pull.posted, ['comment', 'line'], newestFirst).map(show));
  }
  const { content, parent } = body as { content: { raw: string }; parent?: { id: number } };
  const above = pull.posted.find(({ id }) => id === parent?.id);
  if (parent && !above)
    return { status: 404, body: { type: 'error', error: { message: 'No such comment' } } };
  const at = above?.file ? { file: above.file, line: above.line ?? 1 } : {};
  const posted = server.post(pull, {
    by: 'ada',
    text: content.raw,
    ...at,
    ...(above && { replyTo: above.root }),
  });
  if (!above) pull.comments.push(content.raw);
  return { status: 201, body: show(posted) };
}

function showComment(server: ForgeRecord, { slug, number }: Pull, one: Posted) {
  return {
    id: one.id,
    content: { raw: one.text, markup: 'markdown' },
    user: showAccount(one.by),
    created_on: timeOf(one),
    updated_on: timeOf(one),
    deleted: false,
    pending: false,
    ...(one.root !== one.id && { parent: { id: one.root } }),
    ...(one.file !== null && { inline: { path: one.file, from: null, to: one.line } }),
    links: { html: { href: `${server.git.origin}/${slug}/pull-requests/${number}#comment-${one.id}` } },
  };
}

export function showAccount(login: string) {
  const type = login.endsWith('[bot]') ? 'app_user' : 'user';
  return { type, uuid: uuidOf(login), nickname: login, display_name: login };
}

const states = { failure: 'FAILED', success: 'SUCCESSFUL', pending: 'INPROGRESS' };

function showStatuses({ checks }: ForgeRecord, { headCommit }: Pull, query: URLSearchParams): ApiAnswer {
  const found = pageOf(checks.get(headCommit) ?? [], query, 10);
  return page(
    found.map(({ name, state, text }) => ({
      key: name,
      name,
      state: states[state],
      description: text,
      url: 'https://ci.example.com/1',
    })),
  );
}
