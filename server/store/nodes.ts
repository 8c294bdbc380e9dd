import type { Count } from '../../shared/reports/analytics.ts';
import { kindBits } from '../counting/sum.ts';
import type { CountedKind } from '../counting/view.ts';
import { has, type Sql } from '../database/sql.ts';
import type { Now } from './jobs/job.ts';

/** A visitor's last view of a kind. */
export interface RecentView {
  projectId: string;
  visitor: bigint;
  kind: CountedKind;
  /** How long ago it was, as clocks of nodes differ. */
  agoMs: number;
}

/** What "right now" is. */
export const recentMs = 5 * 60_000;

/** What a node fetched of a list of published addresses. */
export interface SharedCopy {
  feed: string;
  /** When it was known to be what the operator publishes, in milliseconds since 1970. */
  asOf: number;
  /** As identity writes and reads it. */
  text: string;
}

/** Longer than all of it takes where every operator is slow. */
export const refreshMs = 20 * 60_000;

/** Wrong passwords from a network. */
export interface Failures {
  count: number;
  /** Milliseconds since 1970. */
  lastAt: number;
}

/** What is known of some networks, by their names, and of all of them together. */
export interface LoginAttempts {
  failures: Map<string, Failures>;
  /** Sign-ins from there; the newest is last. */
  known: Set<string>;
  together: { count: number; since: number };
}

/** After so long without an attempt the earlier ones are forgotten. */
export const attemptMemoryMs = 60 * 60_000;
/** Networks of sign-ins. */
export const maxKnownNetworks = 200;

/** What several servers on one PostgreSQL have to know of each other, and a single one knows by itself. */
export function nodes(sql: Sql, clock: () => Now) {
  return { loginAttempts: loginAttempts(sql, clock), recent: recent(sql, clock), ranges: ranges(sql, clock) };
}

export type NodeStore = ReturnType<typeof nodes>;
export type LoginAttemptStore = NodeStore['loginAttempts'];
export type RecentStore = NodeStore['recent'];
export type RangeStore = NodeStore['ranges'];

/** Who was counted in the last minutes, on whichever node. It survives no crash of the database. */
function recent(sql: Sql, clock: () => Now) {
  return {
    /** Those of projects that are not there are left out. */
    async noteRecent(views: RecentView[]): Promise<void> {
      if (views.length === 0) return;
      await sql.query('select note_recent($1, $2, $3, $4, $5)', [
        ...[views.map(({ projectId }) => projectId), views.map(({ visitor }) => visitor)],
        ...[views.map(({ kind }) => kindBits[kind]), views.map(({ agoMs }) => agoMs), clock()],
      ]);
    },

    /** Visitors of the last `recentMs`. */
    countRecent: (projectId: string): Promise<Count> =>
      sql.snapshot(async (read) => {
        const [count] = await read.query<Count>(
          `select count(distinct visitor) filter (where kind = ${kindBits.human}) as human,
             count(distinct visitor) filter (where kind = ${kindBits.ai}) as ai, count(distinct visitor) as total
           from recent
           where project = (select id from projects where public_id = $1) and at > store_clock($2) - $3`,
          [projectId, clock(), recentMs],
        );
        return count as Count;
      }),

    /** Deletes what is older. */
    async forgetRecent(): Promise<void> {
      await sql.query('select forget_recent($1, $2)', [clock(), recentMs]);
    },
  };
}

/** Lists of published addresses that one node fetches for all. */
function ranges(sql: Sql, clock: () => Now) {
  return {
    readCopies: (): Promise<SharedCopy[]> =>
      sql.query<SharedCopy>('select feed, as_of as "asOf", text from range_copies'),

    /** Does not replace newer data. */
    async keepCopy({ feed, asOf, text }: SharedCopy): Promise<void> {
      await sql.query(
        `insert into range_copies as r (feed, as_of, text) values ($1, $2, $3)
         on conflict (feed) do update set as_of = excluded.as_of, text = excluded.text
           where r.as_of <= excluded.as_of`,
        [feed, asOf, text],
      );
    },

    /** Lets one node fetch for `refreshMs` at most; false: another one is about it. */
    async claimRefresh(node: string): Promise<boolean> {
      return has(
        sql,
        `update range_refresh set node = $1, until = store_clock($2) + $3
         where until <= store_clock($2) or node = $1 returning node`,
        [node, clock(), refreshMs],
      );
    },

    /** The node is done. */
    async endRefresh(node: string): Promise<void> {
      await sql.query('update range_refresh set until = 0 where node = $1', [node]);
    },
  };
}

/** Names the row of all networks together. */
const together = '';

/** Who guesses passwords, as all nodes remember it. */
function loginAttempts(sql: Sql, clock: () => Now) {
  return {
    /**
     * Has what is known of these networks changed, while nobody else changes it, on whichever node. `now`: milliseconds since
     * 1970, by a clock that all nodes share.
     */
    changeAttempts: <T>(
      networks: string[],
      change: (attempts: LoginAttempts, now: number) => T,
    ): Promise<T> =>
      sql.transaction(async (transaction) => {
        await transaction.query('select pg_advisory_xact_lock(8, 0)');
        const now = await transaction.now(clock());
        const attempts = await readAttempts(transaction, networks);
        const result = change(attempts, now);
        await writeAttempts(transaction, networks, attempts, now);
        return result;
      }),
  };
}

async function readAttempts(sql: Sql, networks: string[]): Promise<LoginAttempts> {
  const rows = await sql.query<Failures & { network: string }>(
    'select network, count, at as "lastAt" from guesses where network = any ($1)',
    [[...networks, together]],
  );
  const known = await sql.query<{ network: string }>(
    'select network from known_networks where network = any ($1)',
    [networks],
  );
  const failures = new Map(rows.map(({ network, ...failure }) => [network, failure]));
  const all = failures.get(together);
  failures.delete(together);
  return {
    failures,
    known: new Set(known.map(({ network }) => network)),
    together: { count: all?.count ?? 0, since: all?.lastAt ?? 0 },
  };
}

async function writeAttempts(
  sql: Sql,
  networks: string[],
  attempts: LoginAttempts,
  now: number,
): Promise<void> {
  const { count, since } = attempts.together;
  const rows = [...attempts.failures, [together, { count, lastAt: since }] as const];
  await sql.query('delete from guesses where network = any ($1) or (network <> $2 and at <= $3)', [
    ...[networks, together, now - attemptMemoryMs],
  ]);
  await sql.query(
    `insert into guesses (network, count, at) select * from unnest($1::text[], $2::int[], $3::bigint[])
     on conflict (network) do update set count = excluded.count, at = excluded.at`,
    [rows.map(([network]) => network), rows.map(([, one]) => one.count), rows.map(([, one]) => one.lastAt)],
  );
  if (attempts.known.size === 0) return;
  await sql.query(
    `insert into known_networks (network, at) select network, $2 from unnest($1::text[]) as x(network)
     on conflict (network) do update set at = excluded.at`,
    [[...attempts.known], now],
  );
  await sql.query(
    'delete from known_networks where network not in (select network from known_networks order by at desc limit $1)',
    [maxKnownNetworks],
  );
}
