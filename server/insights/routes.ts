import {
  type ChangesQuery,
  changesQuery,
  type EffectQuery,
  type EffectReply,
  effectQuery,
  type GapsQuery,
  gapsQuery,
  type OperatorsQuery,
  operatorsQuery,
  type SilentClientsQuery,
  silentClientsQuery,
} from '../../shared/reports/insights.ts';
import { readMeasured } from '../analytics/measured.ts';
import { parseRange } from '../analytics/range.ts';
import { reportRoute } from '../analytics/report-route.ts';
import type { Context } from '../context.ts';
import type { Route } from '../http/route.ts';
import { rulesVersion } from '../identity/rule-versions.ts';
import { readChanges } from './changes.ts';
import { readEffect } from './effect/effect.ts';
import { describeEffect } from './effect/words.ts';
import { readGaps } from './gaps.ts';
import { findMark } from './marks.ts';
import { readOperators } from './operators.ts';
import { daysOf, fileOf, limited, type ProjectCall, todayOf } from './report-call.ts';
import { readSilentClients, silenceDays } from './silent-clients.ts';
import { sendTable } from './table.ts';

const replies = () => import('../../shared/replies/insights.ts');

const base = '/v1/analytics/:projectId';
const csv = ['text/csv'];
/** Some 27 years, as in `series`. */
const maxDays = 10_000;
/** Of rows for each day or week. */
const maxSplitDays = 400;
const usualGapDays = 28;

/** What the counts mean, and what happened to the site meanwhile. */
export const insightRoutes: readonly Route[] = [
  reportRoute({
    name: 'analytics.operators',
    method: 'GET',
    path: `${base}/operators`,
    access: 'project',
    scope: 'read',
    summary: 'AI views of each operator against people who came from its assistants',
    query: operatorsQuery,
    answers: {
      200: {
        says: 'A page of rows, or a file',
        json: async () => (await replies()).operatorsReply,
        types: csv,
      },
    },
    handle: limited(sendOperators),
  }),
  reportRoute({
    name: 'analytics.silent-clients',
    method: 'GET',
    path: `${base}/silent-clients`,
    access: 'project',
    scope: 'read',
    summary: 'AI clients that came regularly and have stopped',
    description:
      'A client is silent when it came on at least 8 of its last 28 days, its silence is longer than twice its longest gap, and the chance of it is below one in a thousand.',
    query: silentClientsQuery,
    answers: {
      200: {
        says: 'A page of rows, or a file',
        json: async () => (await replies()).silentClientsReply,
        types: csv,
      },
    },
    handle: limited(sendSilentClients),
  }),
  reportRoute({
    name: 'analytics.changes',
    method: 'GET',
    path: `${base}/changes`,
    access: 'project',
    scope: 'read',
    summary: 'Releases, merged pull requests and changes of the rules, the newest first',
    query: changesQuery,
    answers: {
      200: {
        says: 'A page of rows, or a file',
        json: async () => (await replies()).changesReply,
        types: csv,
      },
    },
    handle: limited(sendChanges),
  }),
  reportRoute({
    name: 'analytics.changes.effect',
    method: 'GET',
    path: `${base}/changes/:changeId/effect`,
    access: 'project',
    scope: 'read',
    summary: 'Whether a change helped: touched pages against the others, before and after',
    description:
      'Up to 28 days on either side. The intervals of people and AI clients all hold together in 96 of 100 cases; `none` is an answer.',
    query: effectQuery,
    answers: {
      200: {
        says: 'What can be told, or a file',
        json: async () => (await replies()).effectReply,
        types: csv,
      },
    },
    refusals: ['not_found'],
    handle: limited(sendEffect),
  }),
  reportRoute({
    name: 'analytics.gaps',
    method: 'GET',
    path: `${base}/gaps`,
    access: 'project',
    scope: 'read',
    summary: 'Pages to work on for AI clients, each with a prompt for a job',
    description: 'Without `dateFrom` of the last 28 days.',
    query: gapsQuery,
    answers: {
      200: { says: 'A page of rows, or a file', json: async () => (await replies()).gapsReply, types: csv },
    },
    handle: limited(sendGaps),
  }),
];

async function sendOperators(context: Context, { project, query, res }: ProjectCall<OperatorsQuery>) {
  const range = await daysOf(context, project, query, query.by === 'range' ? maxDays : maxSplitDays);
  const { rows, measured } = await readOperators(context.store, project.id, range, query);
  const page = await sendTable(res, query, {
    ...fileOf(context, project, 'operators', query),
    columns: ['date', 'operator', 'aiViews', 'visits', 'ratio'],
    rows,
  });
  if (!page) return undefined;
  return { operators: page.rows, hasMore: page.hasMore, measured };
}

async function sendSilentClients(context: Context, { project, query, res }: ProjectCall<SilentClientsQuery>) {
  const today = todayOf(context, project);
  const found = await readSilentClients(context.store, project.id, today);
  const page = await sendTable(res, query, {
    ...fileOf(context, project, 'silent-clients'),
    columns: [
      'client',
      'operator',
      'purpose',
      'lastSeen',
      'silentDays',
      'usualViews',
      'longestGap',
      'probability',
      'isAlone',
    ],
    rows: found.rows,
  });
  if (!page) return undefined;
  const days = { ...silenceDays(today), to: today + 1 };
  const measured = await readMeasured(context.store, { projectId: project.id, ...days });
  return { lastAiView: found.lastAiView, silentClients: page.rows, hasMore: page.hasMore, measured };
}

async function sendChanges(context: Context, { project, query, res }: ProjectCall<ChangesQuery>) {
  const range = await daysOf(context, project, query, maxDays);
  const page = await sendTable(res, query, {
    ...fileOf(context, project, 'changes', query),
    columns: ['date', 'kind', 'id', 'text', 'url', 'fromVersion', 'toVersion', 'addedViews'],
    rows: await readChanges({ store: context.store, projectId: project.id }, range),
  });
  return page && { rulesVersion, changes: page.rows, hasMore: page.hasMore };
}

async function sendEffect(
  context: Context,
  { project, query, req, res }: ProjectCall<EffectQuery>,
): Promise<EffectReply | undefined> {
  const { store } = context;
  const mark = await findMark(store.marks, project.id, String(req.params.changeId));
  const effect = await readEffect(store, mark, todayOf(context, project));
  const all = { limit: effect.measures.length, offset: 0, format: query.format };
  const page = await sendTable(res, all, {
    ...fileOf(context, project, 'effect'),
    columns: [
      'of',
      'verdict',
      'change',
      'low',
      'high',
      'touchedBefore',
      'touchedAfter',
      'untouchedBefore',
      'untouchedAfter',
    ],
    rows: effect.measures,
  });
  return page && { ...effect, says: describeEffect(effect) };
}

async function sendGaps(context: Context, { project, query, res }: ProjectCall<GapsQuery>) {
  const { id: projectId, settings } = project;
  const { from, to } = parseRange(query, settings.timeZone);
  const end = to ?? todayOf(context, project) + 1;
  const range = { projectId, from: from ?? end - usualGapDays, to: end };
  const [rows, measured] = await Promise.all([
    readGaps(context.store, range, query.kind),
    readMeasured(context.store, range),
  ]);
  const page = await sendTable(res, query, {
    ...fileOf(context, project, 'gaps', query),
    columns: ['path', 'kind', 'people', 'ai', 'failures', 'evidence', 'prompt'],
    rows,
  });
  return page && { gaps: page.rows, hasMore: page.hasMore, measured };
}
