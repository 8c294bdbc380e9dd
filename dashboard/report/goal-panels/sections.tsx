import type { SectionsReply } from '../../../shared/reports/replies.ts';
import { columns } from '../../components/count-cells.tsx';
import { formatDays } from '../../formats/number.ts';
import { Link, useRouter } from '../../router/router.tsx';
import { t } from '../../texts/goals.ts';
import { fill, plural } from '../../texts/part.ts';
import { NumberTable } from '../count-table.tsx';
import { Panel } from '../panel.tsx';
import type { Part, View } from '../view.ts';
import { Counted } from './counted.tsx';

/** Visitors of each section, which opens into its pages. */
export const sectionsPart: Part = { name: 'sections', show: Sections };

function Sections({ base, request, projectId }: View) {
  const { path: here, hrefWith } = useRouter();
  return (
    <Panel<SectionsReply>
      title={t.sections}
      name="sections"
      request={{ ...request, address: `${base}/sections` }}
      isLazy
      isComparable
      empty={t.noSectionIsSet}
      rowsOf={({ sections }) => sections}
    >
      {({ sections, cappedViews }) => (
        <>
          <NumberTable
            title={t.sectionsByVisitors}
            heads={[t.section, t.people, t.ai, t.total]}
            rows={sections.map((row) => ({
              name:
                row.path === null ? (
                  <span class="name">{t.pagesInNoSection}</span>
                ) : (
                  <Link
                    class="name"
                    href={hrefWith({ path: row.path }).replace(here, `/p/${projectId}`)}
                    title={row.path}
                  >
                    <bdi>{row.section}</bdi>
                  </Link>
                ),
              bar: { human: row.human ?? 0, ai: row.ai ?? 0 },
              numbers: columns.map((of) =>
                row[of] === null ? null : <Counted key={of} row={row} by="path" of={of} />,
              ),
            }))}
          />
          <p class="panel-note">{describe(sections, cappedViews)}</p>
        </>
      )}
    </Panel>
  );
}

function describe(sections: SectionsReply['sections'], cappedViews: number): string {
  const days = Math.max(...sections.map(({ unmeasuredDays }) => unmeasuredDays));
  const sentences = [
    t.aVisitorCountsInEachSection,
    ...(days > 0 ? [fill(t.notMeasuredForOneSectionOrMore, { days: formatDays(days) })] : []),
    ...(cappedViews > 0 ? [plural(t.viewsAreInNoSection, cappedViews)] : []),
  ];
  return sentences.join(' ');
}
