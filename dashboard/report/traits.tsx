import type { ComponentChildren } from 'preact';
import type { BoundedCount } from '../../shared/reports/analytics.ts';
import { type Dimension, dimensionNames, dimensions, fieldOf } from '../../shared/reports/dimensions.ts';
import type { Filter } from '../../shared/reports/pairs.ts';
import { Bounded } from '../components/count-cells.tsx';
import { boundsOf } from '../formats/measured.ts';
import {
  isAssistant,
  nameCountry,
  nameDevice,
  nameLanguage,
  nameSource,
  nameTrait,
} from '../formats/names.ts';
import { formatShare } from '../formats/number.ts';
import { readable } from '../formats/text.ts';
import { useRouter } from '../router/router.tsx';
import { fill, list, lookUp } from '../texts/part.ts';
import { t } from '../texts/report.ts';
import { NumberTable } from './count-table.tsx';
import { isAnswered } from './filter.ts';
import { FilterLink } from './filter-link.tsx';
import { type NamedRows, Panel } from './panel.tsx';
import type { Part, View } from './view.ts';

/** How names are written that are shown otherwise than they are counted. */
const labels: Partial<Record<Dimension, (name: string) => ComponentChildren>> = {
  source: sourceLabel,
  country: nameCountry,
  language: nameLanguage,
  device: nameDevice,
  screen: (name) => lookUp(t.screenWidths, name) ?? nameTrait(name),
};

export const labelOf = (dimension: Dimension) => labels[dimension] ?? nameTrait;

/** The panels, and the parameter of the address that names the table to show. */
const groups = {
  ...{ sources: 'campaigns', places: 'place', technology: 'tech' },
} as const satisfies Record<(typeof dimensions)[Dimension]['panel'], string>;

type GroupName = keyof typeof groups;

const answeredIn = (group: GroupName, filter: Filter) =>
  dimensionNames.filter((name) => dimensions[name].panel === group && isAnswered(name, filter));

export const traitParts: readonly Part[] = (Object.keys(groups) as GroupName[]).map((group) => ({
  name: group,
  show: (view) => <Traits group={group} {...view} />,
  isAnswered: (filter) => answeredIn(group, filter).length > 0,
  isPublic: true,
}));

type Row = BoundedCount & Record<Dimension, string>;

/** One table at a time, of people: what AI has none of is on a page of its own. */
function Traits({ group, request, base, read }: View & { group: GroupName }) {
  const { query, hrefWith } = useRouter();
  const parameter = groups[group];
  const names = answeredIn(group, request.filter);
  const dimension = names.find((name) => dimensions[name].report === query.get(parameter)) ?? names[0];
  if (!dimension) return null;
  const { report } = dimensions[dimension];
  const { title, head, empty } = t.traits[dimension];
  const label = labelOf(dimension);
  const peopleIn = (data: NamedRows) =>
    ((data[fieldOf(dimension)] ?? []) as Row[]).filter((row) => boundsOf(row, 'human').to > 0);
  return (
    <Panel<NamedRows>
      key={dimension}
      title={title}
      name={report}
      request={{ ...request, address: `${base}/${report}`, sort: 'human' }}
      rowsOf={peopleIn}
      tabs={{
        label: list(names.map((name) => t.traits[name].title)),
        options: Object.fromEntries(names.map((name) => [name, t.traits[name].title])),
        value: dimension,
        hrefOf: (name) => hrefWith({ [parameter]: dimensions[name as Dimension].report }),
      }}
      group={t.groups[group]}
      isChosen={query.get(parameter) !== null}
      isLazy
      read={read?.[report]}
      empty={empty}
      of="human"
    >
      {(data) => (
        <NumberTable
          title={fill(t.byVisitors, { title })}
          heads={[head, t.people, t.share]}
          rows={peopleIn(data).map((row) => ({
            name: (
              <FilterLink by={dimension} value={row[dimension]}>
                {label(row[dimension])}
              </FilterLink>
            ),
            bar: { human: row.human, ai: 0 },
            numbers: [<Bounded key="people" {...boundsOf(row, 'human')} />, shareOf(row, data.totals)],
          }))}
        />
      )}
    </Panel>
  );
}

/** What is only known within bounds has no share. */
function shareOf(row: BoundedCount, totals: unknown): string {
  const all = totals as BoundedCount;
  return row.bounds || all.bounds ? '–' : formatShare(row.human, all.human);
}

function sourceLabel(source: string): ComponentChildren {
  return (
    <>
      <bdi>{readable(nameSource(source))}</bdi>
      {isAssistant(source) && <span class="tag">{t.aiAssistant}</span>}
    </>
  );
}
