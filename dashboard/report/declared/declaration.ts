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
  isPublic: boolean;
}

/** Reports that everybody with a share link is answered. */
const isShared = ({ hasMeasured, isPrivate }: Report) => hasMeasured === true && isPrivate !== true;

const lastOrder = 100;

/** All that there are, in the order of their pages. */
export const rules: readonly ReportRule[] = Object.entries<Report>(reports)
  .flatMap(([route, report]) =>
    (report.panels ?? []).map(
      (panel): ReportRule => ({
        ...{ ...panel, report: panel.name ?? route, route, field: report.field ?? 'rows' },
        ...{ filters: report.filters ?? [], isPublic: isShared(report) },
        title: report.tool?.title ?? report.summary,
      }),
    ),
  )
  .sort(({ order: a = lastOrder }, { order: b = lastOrder }) => a - b);

interface ReportTexts {
  title: string;
  /** What to say when there are no rows. */
  empty: string;
  /** What one has to know to read it. */
  note?: string;
}

/** Until there are words for it, a report has the name that models see, and a column as in the API. */
export const textsOf = ({ report, title }: ReportRule): ReportTexts =>
  Object.hasOwn(t.reports, report)
    ? t.reports[report as keyof typeof t.reports]
    : { title, empty: common.noDataInThisPeriod };
