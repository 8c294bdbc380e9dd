import { useMemo } from 'preact/hooks';
import type { CombinedSeriesReply } from '../../shared/reports/analytics.ts';
import { withQuery } from '../api/client.ts';
import { useResource } from '../api/resource.ts';
import { Cards, type SourcesReply } from './cards.tsx';
import { daysOf } from './coverage.tsx';
import { isAnswered } from './filter.ts';
import { firstDayOf, History, seriesPath } from './history.tsx';
import { pagesPart } from './page-panels/pages.tsx';
import { rowsPerPage } from './panel.tsx';
import { Panels } from './panels.tsx';
import { Report, type Site } from './report.tsx';
import { traitParts } from './traits.tsx';
import type { Part, View } from './view.ts';

const parts: readonly Part[] = [pagesPart, ...traitParts];

interface OverviewProps extends Site {
  /** Whether the user may note on the chart what happened. */
  mayNote?: boolean;
}

/** Who came, what AI did, and what there is to do. */
export function OverviewReport({ mayNote = false, ...site }: OverviewProps) {
  return (
    <Report {...site} hasMeasure>
      {(view) => <Numbers {...view} mayNote={mayNote} />}
    </Report>
  );
}

function Numbers(props: View & { mayNote: boolean }) {
  const { range, today } = props;
  const all = { from: firstDayOf(range, today), to: range.to };
  const read = useResource<CombinedSeriesReply>(seriesPath(props, all), { isLive: true });
  const { data } = read;
  const now = useMemo(() => data && daysOf(data, range), [data, range.key, today]);
  const { base, request, projectId } = props;
  // Cards and a panel have them.
  const { dateFrom, dateTo, filter } = request;
  const sources = useResource<SourcesReply>(
    isAnswered('source', filter)
      ? withQuery(`${base}/sources`, { dateFrom, dateTo, sort: 'human', ...filter, limit: rowsPerPage })
      : null,
    { isLive: true },
  );
  const isWhole = Object.keys(props.filter).length === 0;
  return (
    <>
      <History {...props} now={now} read={read} />
      {isWhole && projectId !== null && <Cards {...{ base, request, projectId, sources }} />}
      <Panels parts={parts} {...props} measured={now?.measured} read={{ sources }} />
    </>
  );
}
