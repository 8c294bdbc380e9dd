import type { SqlValue } from '../../../database/sql.ts';
import type { NewEvent } from '../../jobs/job-event.ts';
import type { JobNews } from '../../jobs/job-store.ts';
import type { Lease, RecordedPhase, TurnRecord } from '../../jobs/job-turn.ts';
import { noUsage, type Usage } from '../../jobs/usage.ts';
import { noticeOf } from './job-notices.ts';

/** A statement that does nothing, and answers no row, for those who have lost the turn. */
export interface Statement {
  text: string;
  values: readonly SqlValue[];
}

/**
 * Locks the job's row, and then the turn's: whoever waits for one is asked again how both are then. Takes $1 to $4, see
 * `holderOf`.
 */
export const leased = `leased as materialized (
  select t.job, t.number as turn, store_clock($4) as now from jobs j join turns t on t.job = j.id
  where j.public_id = $1 and t.number = $2 and t.fence = $3 and t.leased
  for no key update of j, t)`;

export function holderOf({ turn, fence }: Lease, now: number | null): SqlValue[] {
  return [turn.jobId, turn.number, fence, now];
}

/** Numbers come from the row that is locked, and never from what the statement saw before it waited. */
export function appendingMessages(
  holder: readonly SqlValue[],
  messages: readonly unknown[],
  usage: Usage = noUsage,
): Statement {
  const { steps, inputTokens, outputTokens, cachedTokens, cost } = usage;
  const texts = messages.map((message) => JSON.stringify(message));
  return {
    text: `with ${leased},
      counted as (
        update turns t set next_message = next_message + cardinality($5::text[]), steps = steps + $6,
          input_tokens = input_tokens + $7, output_tokens = output_tokens + $8, cached_tokens = cached_tokens + $9,
          cost = case when $10::bigint is null then cost else coalesce(cost, 0) + $10 end
        from leased l where t.job = l.job and t.number = l.turn
        returning t.job, t.number, next_message - cardinality($5::text[]) as before),
      written as (
        insert into messages (job, turn, position, message)
        select c.job, c.number, c.before + m.position, m.message
        from counted c, unnest($5::text[]) with ordinality m (message, position))
      select from counted`,
    values: [...holder, texts, steps, inputTokens, outputTokens, cachedTokens, cost],
  };
}

export function appendingEvents(
  holder: readonly SqlValue[],
  events: readonly NewEvent[],
  kind: JobNews['kind'],
): Statement {
  return {
    text: `with ${leased},
      numbered as (
        update jobs j set last_event = last_event + cardinality($5::text[])
        from leased l where j.id = l.job
        returning j.id, j.public_id, last_event - cardinality($5::text[]) as before, l.turn, l.now),
      ${writing('$5', '$6')}
      select pg_notify('headcount', $7 || public_id) from numbered`,
    values: [...holder, ...columnsOf(events), noticeOf(kind)],
  };
}

/** With the line of the transcript; the branch of a push becomes the job's, and the base as soon as it is known. */
export function recordingPhase(
  holder: readonly SqlValue[],
  { phase, found, events }: { phase: RecordedPhase; found: TurnRecord; events: readonly NewEvent[] },
): Statement {
  return {
    text: `with ${leased},
      recorded as (
        update turns t set phase = $8, record = record || $9::text, branch = coalesce($10, t.branch)
        from leased l where t.job = l.job and t.number = l.turn
        returning t.job, t.branch),
      numbered as (
        update jobs j set last_event = last_event + cardinality($5::text[]),
          base_branch = coalesce($11, j.base_branch), pr_link = coalesce($12, j.pr_link),
          branch = case $8 when 'pushed' then coalesce(r.branch, j.branch) else j.branch end
        from leased l join recorded r on r.job = l.job where j.id = l.job
        returning j.id, j.public_id, last_event - cardinality($5::text[]) as before, l.turn, l.now),
      ${writing('$5', '$6')}
      select pg_notify('headcount', $7 || public_id) from numbered`,
    values: [
      ...holder,
      ...columnsOf(events),
      noticeOf('written'),
      phase,
      JSON.stringify(found),
      found.branch ?? null,
      found.baseBranch ?? null,
      found.pullRequest?.url ?? null,
    ],
  };
}

/** After `numbered`, which says from where on. */
function writing(types: string, data: string): string {
  return `written as (
    insert into events (job, number, turn, at, type, data)
    select n.id, n.before + e.position, n.turn, n.now, e.type, e.data
    from numbered n, unnest(${types}::text[], ${data}::text[]) with ordinality e (type, data, position))`;
}

function columnsOf(events: readonly NewEvent[]): SqlValue[] {
  return [events.map(({ type }) => type), events.map(({ data }) => JSON.stringify(data))];
}
