import { insightReports } from '../../shared/reports/insight-reports.ts';
import {
  type ChangesQuery,
  changesQuery,
  type MarkReply,
  type NewMark,
  newMark,
} from '../../shared/reports/insights.ts';
import { parseRange } from '../analytics/range.ts';
import { reportRoute } from '../analytics/report-route.ts';
import type { Context } from '../context.ts';
import type { Route } from '../http/route.ts';
import { addMark, noMark, toMarkReply } from './marks.ts';
import { fileOf, insightRoute, type ProjectCall, todayOf } from './report-call.ts';
import { sendTable } from './table.ts';

const replies = () => import('../../shared/replies/insights.ts');

const base = '/v1/analytics/:projectId';
/** 200 paths of 1,024 characters, each of which may be an escape of six bytes. */
const maxMarkBytes = 1_500_000;

/** What explains a change in the counts: what the owner marks, and pull requests that were merged. */
export const markRoutes: readonly Route[] = [
  insightRoute('marks', {
    name: 'marks.list',
    query: changesQuery,
    reply: async () => (await replies()).marksReply,
    send: sendMarks,
  }),
  reportRoute({
    name: 'analytics.marks.add',
    method: 'POST',
    path: `${base}/marks`,
    access: 'project',
    summary: 'Mark a release, or note what else happened',
    body: { schema: newMark, maxBytes: maxMarkBytes, subject: 'The mark' },
    answers: { 201: { says: 'The mark', json: async () => (await replies()).markReply } },
    handle: makeMark,
  }),
  reportRoute({
    name: 'analytics.marks.remove',
    method: 'DELETE',
    path: `${base}/marks/:markId`,
    access: 'project',
    summary: 'Remove a mark',
    answers: { 204: { says: 'It is gone' } },
    refusals: ['not_found'],
    handle: removeMark,
  }),
];

async function sendMarks(context: Context, { project, query, res }: ProjectCall<ChangesQuery>) {
  const { store } = context;
  const range = parseRange(query, project.settings.timeZone);
  const marks = await store.marks.listMarks({ projectId: project.id, ...range });
  const page = await sendTable(res, query, {
    ...fileOf(context, project, 'marks', query),
    columns: insightReports.marks.columns,
    rows: marks.toReversed().map(toMarkReply),
  });
  return page && { marks: page.rows, hasMore: page.hasMore };
}

function makeMark(context: Context, { project, body }: ProjectCall<undefined, NewMark>): Promise<MarkReply> {
  const moment = { today: todayOf(context, project), now: context.now() };
  return addMark(context.store.marks, project.id, body, moment);
}

async function removeMark({ store }: Context, { project, req }: ProjectCall): Promise<void> {
  if (!(await store.marks.removeMark(project.id, String(req.params.markId)))) throw noMark();
}
