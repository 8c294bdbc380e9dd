import { type Filter, filterNames } from '../../../shared/reports/pairs.ts';
import type { Panel, Report } from '../../../shared/reports/report.ts';
import { reports } from '../../../shared/reports/reports.ts';
import { t } from '../../texts/declared.ts';
import { t as common } from '../../texts/report.ts';

/** A panel of a report: one of its tables. */
export interface ReportRule extends Panel {
  /** What it is called, its route below the project's, and the field of the reply that has the rows. */
  report: string;
  route: string;
  field: string;
  /** In English. */
  title: string;
  filters: NonNullable<Report['filters']>;
}

const rules = Object.entries<Report>(reports).flatMap(
  ([route, { panels = [], field = 'rows', filters = [], summary, tool }]) =>
    panels.map(
      (panel): ReportRule => ({
        ...{ ...panel, report: panel.name ?? route, route, field, filters },
        title: tool?.title ?? summary,
      }),
    ),
);

const lastOrder = 100;

/** Reports that share a panel, one of them at a time. */
function groupOf(group: Panel['group']): ReportRule[] {
  const placeOf = ({ order = lastOrder }: ReportRule) => order;
  return rules.filter((rule) => rule.group === group).sort((a, b) => placeOf(a) - placeOf(b));
}

/** Of whom alone a group is: it tells nothing where nobody measured these. */
export interface ReportGroup {
  of?: 'human' | 'ai';
  reports: readonly ReportRule[];
}

/** By the key that stands in the address, in the order of the page. */
export const groups = {
  ai: { of: 'ai', reports: groupOf('ai') },
  landings: { of: 'human', reports: groupOf('landings') },
  searches: { reports: groupOf('searches') },
  trouble: { of: 'ai', reports: groupOf('trouble') },
  work: { of: 'ai', reports: groupOf('work') },
  ways: { reports: groupOf('ways') },
} satisfies Record<Panel['group'], ReportGroup>;

interface ReportTexts {
  title: string;
  /** What to say when there are no rows. */
  empty: string;
  /** What one has to know to read it. */
  note?: string;
}

/** Until there are words for it, a report is called as models are told of it, and a column as in the API. */
export const textsOf = ({ report, title }: ReportRule): ReportTexts =>
  Object.hasOwn(t.reports, report)
    ? t.reports[report as keyof typeof t.reports]
    : { title, empty: common.noDataInThisPeriod };

/** Whether the API has sums of all that is filtered by. */
export function honours({ filters }: ReportRule, filter: Filter): boolean {
  return filterNames.every(
    (name) => filter[name] === undefined || filters.some((taken) => taken.includes(name)),
  );
}
