/** Something that was written at a pull request. */
export interface Posted {
  id: number;
  kind: 'comment' | 'line' | 'review';
  by: string;
  text: string;
  /** Milliseconds since 1970. */
  at: number;
  file: string | null;
  line: number | null;
  /** Of a thread, its first comment. */
  root: number;
}

export interface NewPosted {
  by: string;
  text: string;
  file?: string;
  line?: number;
  /** A comment of the same thread. */
  replyTo?: number;
  kind?: 'review';
  at?: number;
}

/** Accounts, and their permissions in every repository; the token is ada's. */
export const accounts: Readonly<Record<string, 'admin' | 'write' | 'read'>> = {
  ada: 'admin',
  bert: 'write',
  mallory: 'read',
  'helper[bot]': 'write',
  grace: 'write',
};

/** Of whom commits are by. */
export const addressOf = (login: string) => `${login}@example.com`;

export const numberOfAccount = (login: string) => Object.keys(accounts).indexOf(login) + 1;

/** What a program found out about a commit. */
export interface CheckDouble {
  name: string;
  state: 'failure' | 'success' | 'pending';
  text: string;
}

let ids = 100;

export function toPosted({ by, text, file, line, replyTo, kind, at = Date.now() }: NewPosted): Posted {
  const id = ++ids;
  const isLine = file !== undefined;
  return {
    id,
    kind: kind ?? (isLine ? 'line' : 'comment'),
    by,
    text,
    at,
    file: file ?? null,
    line: line ?? null,
    root: replyTo ?? id,
  };
}

export const timeOf = ({ at }: Posted) => new Date(at).toISOString();

/** The page that was asked for. */
export function pageOf<Item>(all: readonly Item[], query: URLSearchParams, usual = 30): Item[] {
  const perPage = Number(query.get('per_page') ?? query.get('pagelen') ?? usual);
  const from = (Number(query.get('page') ?? 1) - 1) * perPage;
  return all.slice(from, from + perPage);
}

/** Those of a kind that changed since the query says, page by page. */
export function listed(
  posted: readonly Posted[],
  kinds: readonly Posted['kind'][],
  query: URLSearchParams,
): Posted[] {
  const since = Date.parse(query.get('since') ?? '1970-01-01T00:00:00Z');
  const all = posted.filter(({ kind, at }) => kinds.includes(kind) && at >= since);
  const isNewestFirst = query.get('direction') === 'desc' || query.get('sort') === 'desc';
  return pageOf(isNewestFirst ? all.toReversed() : all, query);
}
