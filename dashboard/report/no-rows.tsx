import { useContext } from 'preact/hooks';
import type { Measured, UnmeasuredDays } from '../../shared/reports/analytics.ts';
import { isUnmeasured } from '../formats/measured.ts';
import { ImportedContext, ProjectContext, useMayOpen } from '../router/project-pages.ts';
import { Link, useRouter } from '../router/router.tsx';
import { t } from '../texts/more.ts';
import { t as report } from '../texts/report.ts';
import { Today } from './comparison.tsx';
import { describeUnmeasured } from './coverage.tsx';

/** A reply that may say what its numbers include or lack. */
export interface Including {
  includesExcluded?: string | undefined;
  lacksDetails?: string | undefined;
  lacksPeople?: string | undefined;
}

export interface NoRowsProps extends Pick<Including, 'lacksDetails'> {
  /** Of whom alone the table is. */
  of?: 'human' | 'ai' | undefined;
  /** Undefined: what was measured has nothing to do with it. */
  measured?: Measured | undefined;
  unmeasured?: UnmeasuredDays | null | undefined;
  /** After its last day; null: today is. */
  dateTo?: string | null;
  search?: string;
  page?: number;
  isFiltered?: boolean;
  /** What to say where all was measured. */
  empty?: string | undefined;
}

/** Why a table has no rows: what was not measured is not zero. */
export const NoRows = (props: NoRowsProps) => <p class="empty">{reasonOf(props)}</p>;

export const IncludedNote = ({ includesExcluded, lacksDetails, lacksPeople }: Including) => (
  <>
    {includesExcluded && <p class="panel-note">{t.includesExcluded}</p>}
    {lacksPeople && <p class="panel-note">{t.lacksPeople}</p>}
    {lacksDetails && <p class="panel-note">{t.lacksDetails}</p>}
  </>
);

function reasonOf({ search, page = 1, unmeasured, ...props }: NoRowsProps) {
  const { of, measured, isFiltered, empty = report.noDataInThisPeriod } = props;
  if (unmeasured) return describeUnmeasured(unmeasured);
  if (search) return t.nothingMatchesYourSearch;
  if (page > 1) return t.thereAreNoMoreRows;
  if (props.lacksDetails) return t.lacksDetails;
  if (measured?.ways.length === 0) return <NotMeasured {...props} why={t.nothingWasMeasured} />;
  if (of && isUnmeasured(of, measured))
    return <NotMeasured {...props} why={of === 'ai' ? t.onlyYourServerSees : report.peopleAreNotMeasured} />;
  return isFiltered ? t.nothingMatchesTheFilter : empty;
}

/** With the way to change it, unless these days are over, or hits came on others: then with those that were imported. */
function NotMeasured({ of = 'human', dateTo = null, why }: NoRowsProps & { why: string }) {
  const { path, query, hrefWith } = useRouter();
  const today = useContext(Today);
  const isImported = useContext(ImportedContext) && why === t.nothingWasMeasured;
  const isOver = dateTo !== null && dateTo <= today;
  const isQuiet = useContext(ProjectContext)?.seenHosts.length !== 0 && why === t.nothingWasMeasured;
  const mayInstall = useMayOpen('/install') && !isOver && !isQuiet && !isImported;
  const project = path.split('/').slice(0, 3).join('/');
  return (
    <>
      {why} {mayInstall && <Link href={`${project}/install`}>{report.connectFirst[of].link}</Link>}
      {isImported && query.get('range') !== 'all' && (
        <Link href={hrefWith({ range: 'all', page: null })}>{report.ranges.all}</Link>
      )}
    </>
  );
}
