import { insightReports } from '../../shared/reports/insight-reports.ts';
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
import type { Context } from '../context.ts';
import type { Route } from '../http/route.ts';
import { rulesVersion } from '../identity/rule-versions.ts';
import { findMark, readChanges } from './changes.ts';
import { readEffect } from './effect/effect.ts';
import { describeEffect } from './effect/words.ts';
import { readGaps } from './gaps.ts';
import { readOperators } from './operators.ts';
import { daysOf, fileOf, insightRoute, type ProjectCall, todayOf } from './report-call.ts';
import { readSilentClients, silenceDays } from './silent-clients.ts';
import { sendTable } from './table.ts';

const replies = () => import('../../shared/replies/insights.ts');

/** Some 27 years, as in `series`. */
const maxDays = 10_000;
/** Of rows for each day or week. */
const maxSplitDays = 400;
const usualGapDays = 28;

/** What the counts mean, and what happened to the site meanwhile. */
export const insightRoutes: readonly Route[] = [
  insightRoute('operators', {
    query: operatorsQuery,
    reply: async () => (await replies()).operatorsReply,
    send: sendOperators,
  }),
  insightRoute('silent-clients', {
    query: silentClientsQuery,
    reply: async () => (await replies()).silentClientsReply,
    send: sendSilentClients,
  }),
  insightRoute('changes', {
    query: changesQuery,
    reply: async () => (await replies()).changesReply,
    send: sendChanges,
  }),
  insightRoute('changes/:changeId/effect', {
    query: effectQuery,
    reply: async () => (await replies()).effectReply,
    says: 'What can be told, or a file',
    refusals: ['not_found'],
    send: sendEffect,
  }),
  insightRoute('gaps', {
    query: gapsQuery,
    reply: async () => (await replies()).gapsReply,
    send: sendGaps,
  }),
];

async function sendOperators(context: Context, { project, query, res }: ProjectCall<OperatorsQuery>) {
  const range = await daysOf(context, project, query, query.by === 'range' ? maxDays : maxSplitDays);
  const { rows, measured } = await readOperators(context.store, project.id, range, query);
  const page = await sendTable(res, query, {
    ...fileOf(context, project, 'operators', query),
    columns: insightReports.operators.columns,
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
    columns: insightReports['silent-clients'].columns,
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
    columns: insightReports.changes.columns,
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
    columns: insightReports['changes/:changeId/effect'].columns,
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
    columns: insightReports.gaps.columns,
    rows,
  });
  return page && { gaps: page.rows, hasMore: page.hasMore, measured };
}
