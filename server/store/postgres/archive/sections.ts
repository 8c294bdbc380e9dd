import type { ArchiveRecord } from '../../../../shared/project/project-archive.ts';
import { reportedTallies, tallies } from '../../../../shared/reports/tallies.ts';
import { sightedTallies } from '../../../counting/sighting.ts';
import { nameOf } from '../../../counting/what.ts';
import type { SqlValue } from '../../../database/sql.ts';
import { joinRecord } from '../../jobs/job-rows.ts';
import { type CountedProject, ofProject, placeOf } from '../counts/counted-project.ts';
import { allCounts } from '../counts/reports/pending.ts';
import { sharedSightings } from '../counts/reports/tally-reader.ts';
import { sumColumns, sumNames, type VisitSum } from '../counts/sums.ts';

export type Row = Record<string, unknown>;

/** What is read of one kind of record. */
export interface Section {
  type: ArchiveRecord['type'];
  sql: string;
  values: readonly SqlValue[];
  /** Fields in the form of a record. */
  toRecord?: (row: Row) => Row;
}

/** At work: it leaves as one that failed, as only one installation may go on with it. */
const leftAtWork = 'It was at work when the project was exported: send it another message.';

/** By the number that is stored. */
const tallyNames = new Map(reportedTallies.map((name) => [Number(tallies[name].number), name]));

const date = (column: string) => `(date '1970-01-01' + ${column})::text`;
const time = (column: string) =>
  `to_char(to_timestamp(${column} / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const named = ({ of, ...row }: Row): Row => ({ day: row.day, of: nameOf(Number(of)), ...row });
const parsed =
  (...fields: string[]) =>
  (row: Row): Row => ({
    ...row,
    ...Object.fromEntries(fields.map((field) => [field, JSON.parse(String(row[field]))])),
  });

/**
 * Each selects the fields of one kind of record, in an order that does not depend on the installation. Citus takes `t.day` in
 * an order for the field `day`: what is told differently than it is stored (a date) is in the same order, or told later.
 *
 * @param visits of days that are not sealed, whose visitors stay here
 */
export function sectionsOf(project: CountedProject, visits: readonly VisitSum[]): Section[] {
  const own = [project.id];
  return [
    {
      type: 'project',
      sql: `select 3 as format, public_id as id, created_at as "createdAt", settings,
          ${date('sealed_through')} as "sealedThrough" from projects where id = $1`,
      values: own,
    },
    countSection(project, visits),
    ...talliedSections(project),
    ...siteSections(own),
    ...jobSections(own),
    ...automationSections(own),
    ...attachedSections(own),
  ];
}

function countSection(project: CountedProject, visits: readonly VisitSum[]): Section {
  return {
    type: 'count',
    sql: `select ${date('c.day')} as day, c.what as "of", c.client, c.name,
        sum(c.human_visitors) as "humanVisitors", sum(c.ai_visitors) as "aiVisitors", sum(c.visitors) as visitors,
        sum(c.human_views) as "humanViews", sum(c.ai_views) as "aiViews"
      from (
        select s.day, s.what, parent.text as client, n.text as name, ${sumColumns}
        from (select day, what, parent, name, ${sumNames.map((name) => `sum(${name}) as ${name}`)}
          from ${allCounts(project, 'c.span = 1')} c group by day, what, parent, name) s
          left join names n on n.project = $2 and n.id = s.name
          left join names parent on parent.project = $2 and parent.id = s.parent
        union all
        select x.day, x.what, x.under, x.text, ${sumColumns}
        from unnest($3::int[], $4::int[], $5::text[], $6::text[], $7::int[], $8::int[], $9::int[], $10::int[], $11::int[])
          as x(day, what, under, text, ${sumColumns})) c
      group by c.day, c.what, c.client, c.name
      order by c.day, c.what, c.client nulls first, c.name nulls first`,
    values: [
      ...placeOf(project),
      ...[visits.map(({ day }) => day), visits.map((sum) => sum.what)],
      ...[visits.map(({ under }) => under), visits.map(({ text }) => text)],
      ...sumNames.map((name) => visits.map((sum) => sum[name])),
    ],
    toRecord: named,
  };
}

/** What is counted besides the views. */
function talliedSections(project: CountedProject): Section[] {
  const placed = placeOf(project);
  return [
    {
      type: 'dropped',
      sql: `select ${date('day')} as day, reason, family, sum(hits) as hits from dropped d
        where ${ofProject('d', project)} group by d.day, reason, family order by d.day, reason, family`,
      values: placed,
    },
    {
      type: 'nameCap',
      sql: `select ${date('day')} as day, what as "of", cap, kind, client, sum(views) as views from name_caps c
        where ${ofProject('c', project)} group by c.day, what, cap, kind, client
        order by c.day, what, cap, kind, client`,
      values: placed,
      toRecord: named,
    },
    {
      type: 'tally',
      // Visitors stay here: of what they were seen on, what is told of it leaves.
      sql: `select ${date('day')} as day, tally, subject as "group", name, sum(hits) as hits, sum(amount) as amount
        from (
          select day, tally, subject, name, hits, amount from tallies t
          where ${ofProject('t', project)} and t.tally not in (${sightedTallies})
          union all
          select day, ${tallies.quoted.number}, subject, name, hits, amount
          from (${sharedSightings(`${ofProject('t', project)} and t.tally in (${sightedTallies})`)}) s
        ) t group by t.day, t.tally, subject, name order by t.day, t.tally, subject, name`,
      values: placed,
      toRecord: (row) => ({ ...row, tally: tallyNames.get(Number(row.tally)) }),
    },
  ];
}

/** What was taken in, and what happened to the site. */
function siteSections(own: readonly SqlValue[]): Section[] {
  return [
    {
      type: 'importedDay',
      sql: `select ${date('day')} as day, human_views as "humanViews", ai_views as "aiViews", last_at as "lastAt"
        from imported_days i where project = $1 order by i.day`,
      values: own,
    },
    {
      type: 'log',
      sql: `select head_length as "headLength", encode(head_hash, 'hex') as "headHash", bytes, lines from logs
        where project = $1 order by head_hash, head_length`,
      values: own,
    },
    {
      type: 'mark',
      sql: `select id, ${date('day')} as day, kind, text, touched, url, created_at as "createdAt"
        from marks m where project = $1 order by m.day, id`,
      values: own,
      toRecord: parsed('touched'),
    },
    {
      type: 'ruleDay',
      sql: `select ${date('day')} as day, version from rule_days r where project = $1 order by r.day, version`,
      values: own,
    },
    {
      type: 'searchNumbers',
      sql: `select tool, kind as "of", ${date('first_day')} as "from", ${date('last_day')} as "to", name, clicks, impressions,
          positions, citations, pages
        from search_numbers where project = $1 order by tool, kind, last_day, first_day, name`,
      values: own,
    },
  ];
}

function jobSections(own: readonly SqlValue[]): Section[] {
  return [
    {
      type: 'job',
      sql: `select public_id as id, case status when 'active' then 'failed' else status end as status, repository, ref, model,
          pr_link as "prLink", ${time('created_at')} as "createdAt", ${time('archived_at')} as "archivedAt",
          active_at as "activeAt", base_branch as "baseBranch", branch,
          case status when 'active' then 'unknown' else failure::json ->> 'code' end as "failureCode",
          case status when 'active' then '${leftAtWork}' else failure::json ->> 'message' end as "failureMessage",
          started_by as "startedBy", reverts
        from jobs where project = $1 order by jobs.id`,
      values: own,
      toRecord: parsed('startedBy'),
    },
    {
      type: 'turn',
      sql: `select j.public_id as job, number, prompt, attempt, t.created_at as "createdAt", record,
          resumes_at as "resumesAt", steps, input_tokens as "inputTokens", output_tokens as "outputTokens",
          cached_tokens as "cachedTokens", cost
        from turns t join jobs j on j.id = t.job where project = $1 order by j.id, number`,
      values: own,
      toRecord: (row) => ({ ...parsed('prompt')(row), record: joinRecord(row.record as string[]) }),
    },
    {
      type: 'message',
      sql: `select j.public_id as job, turn, position, message from messages m join jobs j on j.id = m.job
        where project = $1 order by j.id, turn, position`,
      values: own,
      toRecord: parsed('message'),
    },
    {
      type: 'event',
      sql: `select j.public_id as job, number, turn, ${time('at')} as at, type as kind, data
        from events e join jobs j on j.id = e.job where project = $1 order by j.id, number`,
      values: own,
      toRecord: parsed('data'),
    },
  ];
}

function automationSections(own: readonly SqlValue[]): Section[] {
  return [
    {
      type: 'automation',
      sql: `select id, settings, created_at as "createdAt" from automations a where project = $1 order by a.created_at, id`,
      values: own,
      toRecord: parsed('settings'),
    },
    {
      type: 'automationRun',
      sql: `select automation, key, at, job, reason from automation_runs where project = $1 order by automation, key`,
      values: own,
    },
  ];
}

/** What came to the jobs from outside. */
function attachedSections(own: readonly SqlValue[]): Section[] {
  return [
    {
      type: 'comment',
      sql: `select j.public_id as job, key, state from heard_comments h join jobs j on j.id = h.job
        where project = $1 order by j.id, key`,
      values: own,
    },
    {
      type: 'image',
      sql: `select j.public_id as job, number, turn, name, type as kind, content
        from job_images i join jobs j on j.id = i.job where project = $1 order by j.id, number`,
      values: own,
      toRecord: (row) => ({ ...row, content: Buffer.from(row.content as Uint8Array).toString('base64') }),
    },
  ];
}
