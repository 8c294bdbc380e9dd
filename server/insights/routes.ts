import {
  changesQuery,
  changesReply,
  effectQuery,
  effectReply,
  gapsQuery,
  gapsReply,
  operatorsQuery,
  operatorsReply,
  silentClientsQuery,
  silentClientsReply,
} from '../../shared/reports/insights.ts';
import {
  searchEnginesQuery,
  searchEnginesReply,
  searchNamesQuery,
  searchNamesReply,
} from '../../shared/reports/search-engines.ts';
import { maxCsvRows } from '../analytics/csv.ts';
import type { ReportRoute } from '../analytics/declared-route.ts';
import { askedOf, readPages, sayIncluded, sayLacking } from '../analytics/filters.ts';
import { readMeasured } from '../analytics/measured.ts';
import { parseRange } from '../analytics/range.ts';
import { isGranted } from '../http/route.ts';
import { rulesVersion } from '../identity/rule-versions.ts';
import { findAnnotation, readChanges } from './changes.ts';
import { readEffect } from './effect/effect.ts';
import { describeEffect } from './effect/words.ts';
import { jobFor, readGaps } from './gaps.ts';
import { readOperators } from './operators.ts';
import { daysOf, rowsRoute, todayOf } from './report-call.ts';
import { choosePeriods, readSearchEngines, toNameRow, toPeriodReply } from './search-engines.ts';
import { readSilentClients, silenceDays } from './silent-clients.ts';

/** Some 27 years, as in `series`. */
const maxDays = 10_000;
/** Of rows for each day or week. */
const maxSplitDays = 400;
const usualGapDays = 28;
/** Who may see jobs. */
const seesJobs = { access: 'project', method: 'GET', scope: 'read', role: 'editor' } as const;

/** Explanations of the counts, and events of the site. */
export const insightRoutes: readonly ReportRoute[] = [
  rowsRoute('operators', {
    query: operatorsQuery,
    reply: operatorsReply,
    async read(context, { project, query }) {
      const range = await daysOf(context, project, query, query.by === 'range' ? maxDays : maxSplitDays);
      const { rows, ...ofAll } = await readOperators(context.store, project.id, range, query);
      const lacking = await sayLacking(context.store, { projectId: project.id, ...range });
      const included = { ...sayIncluded(project.settings), ...lacking };
      return { rows, included, answer: (operators, hasMore) => ({ operators, ...ofAll, hasMore }) };
    },
  }),
  rowsRoute('silent-clients', {
    query: silentClientsQuery,
    reply: silentClientsReply,
    async read(context, { project }) {
      const today = todayOf(context, project);
      const { rows, lastAiView } = await readSilentClients(context.store, project.id, today);
      const days = { projectId: project.id, ...silenceDays(today), to: today + 1 };
      return {
        ...{
          rows,
          included: { ...sayIncluded(project.settings), ...(await sayLacking(context.store, days)) },
        },
        answer: async (silentClients, hasMore) => ({
          ...{ lastAiView, silentClients, hasMore },
          measured: await readMeasured(context.store, days),
        }),
      };
    },
  }),
  rowsRoute('changes', {
    query: changesQuery,
    reply: changesReply,
    async read(context, { project, query }) {
      const range = await daysOf(context, project, query, maxDays);
      const rows = await readChanges({ store: context.store, projectId: project.id }, range);
      const lacking = await sayLacking(context.store, { projectId: project.id, ...range });
      const included = { ...sayIncluded(project.settings), ...lacking };
      return { rows, included, answer: (changes, hasMore) => ({ rulesVersion, changes, hasMore }) };
    },
  }),
  rowsRoute('changes/:changeId/effect', {
    query: effectQuery,
    reply: effectReply,
    says: 'The report, or a file',
    file: 'effect',
    refusals: ['not_found'],
    async read(context, { project, req }) {
      const annotation = await findAnnotation(
        context.store.annotations,
        project.id,
        String(req.params.changeId),
      );
      const effect = await readEffect(context.store, annotation, todayOf(context, project));
      const { lacksDetails } = effect;
      const included = lacksDetails === undefined ? {} : { lacksDetails };
      return { rows: effect.measures, included, answer: () => ({ ...effect, says: describeEffect(effect) }) };
    },
  }),
  rowsRoute('gaps', {
    query: gapsQuery,
    reply: gapsReply,
    async read(context, { project, query, req }) {
      const { from, to } = parseRange(query, project.settings.timeZone);
      const end = to ?? todayOf(context, project) + 1;
      const range = { projectId: project.id, from: from ?? end - usualGapDays, to: end };
      const asking = askedOf(context.store, project.id, project.settings);
      const pages = await readPages(query.path, asking);
      const [rows, measured] = await Promise.all([
        readGaps(context.store, range, { kind: query.kind, pages }),
        readMeasured(context.store, range),
      ]);
      const asked = isGranted(seesJobs, context, req) ? await context.store.jobs.listAsked(project.id) : [];
      const withJob = (row: { path?: unknown }) => ({ ...row, job: jobFor(String(row.path), asked) });
      const included = { ...sayIncluded(project.settings), ...(await sayLacking(context.store, range)) };
      return {
        ...{ rows, included },
        answer: (gaps, hasMore) => ({ gaps: gaps.map(withJob), hasMore, measured }),
      };
    },
  }),
];

/** What search engines report of the site, as it was imported. */
export const searchRoutes: readonly ReportRoute[] = [
  rowsRoute('search-engines', {
    query: searchEnginesQuery,
    reply: searchEnginesReply,
    async read({ store }, { project, query }) {
      const range = parseRange(query, project.settings.timeZone);
      const rows = await readSearchEngines({ store, projectId: project.id }, range, query);
      return { rows, answer: (searchEngines, hasMore) => ({ searchEngines, hasMore }) };
    },
  }),
  rowsRoute('search-names', {
    query: searchNamesQuery,
    reply: searchNamesReply,
    async read({ store }, { project: { id: projectId, settings }, query }) {
      const { of, format, limit, offset } = query;
      const range = parseRange(query, settings.timeZone);
      const chosen = await choosePeriods({ store, projectId }, range, query);
      const part = format === 'csv' ? { limit: maxCsvRows + 1, offset: 0 } : { limit: limit + 1, offset };
      const rows = await store.searches.listNames({ projectId, kind: of, chosen, ...part });
      const periods = chosen.map(toPeriodReply);
      return {
        ...{ rows: rows.map(toNameRow), isPage: true },
        answer: (names, hasMore) => ({ of, periods, names, hasMore }),
      };
    },
  }),
];
