import type { ComponentChildren } from 'preact';
import type { BoundedCount } from '../../shared/reports/analytics.ts';
import { type Dimension, type DimensionRule, dimensions, fieldOf } from '../../shared/reports/dimensions.ts';
import type { Filter } from '../../shared/reports/pairs.ts';
import { Bounded, Change, Share } from '../components/count-cells.tsx';
import { Pictured } from '../components/pictured.tsx';
import { boundsOf } from '../formats/measured.ts';
import {
  isAssistant,
  nameCountry,
  nameDevice,
  nameLanguage,
  nameSource,
  nameTrait,
} from '../formats/names.ts';
import { readable } from '../formats/text.ts';
import { useRouter } from '../router/router.tsx';
import { fill, list, lookUp } from '../texts/part.ts';
import { t } from '../texts/report.ts';
import { NumberTable } from './count-table.tsx';
import { isAnswered, isOfClients } from './filter.ts';
import { FilterLink } from './filter-link.tsx';
import { type NamedRows, Panel } from './panel.tsx';
import type { Part, View } from './view.ts';

/** How names are written that are shown otherwise than they are counted. */
const labels: Partial<Record<Trait, (name: string) => ComponentChildren>> = {
  source: sourceLabel,
  channel: (name) => lookUp(t.channels, name) ?? nameTrait(name),
  country: nameCountry,
  language: nameLanguage,
  device: nameDevice,
  screen: (name) => lookUp(t.screenWidths, name) ?? nameTrait(name),
};

const pictures: Partial<Record<Trait, 'flag' | 'icon'>> = {
  ...{ source: 'icon', browser: 'icon', system: 'icon' },
  ...{ country: 'flag', region: 'flag', city: 'flag' },
};

/** The same in a table: a place with the flag of its country. */
export function labelInTable(trait: Trait, name: string): ComponentChildren {
  const kind = pictures[trait];
  const label = labelOf(trait)(name);
  return kind ? (
    <Pictured {...{ kind, of: kind === 'flag' ? name.split(', ').pop() : name }}>{label}</Pictured>
  ) : (
    label
  );
}

export const labelOf = (trait: Trait) => labels[trait] ?? nameTrait;

/** Dimensions, and groups of sources beside these. */
type Trait = Dimension | 'channel';

const { source, ...others } = dimensions;
const traits: Record<Trait, Pick<DimensionRule, 'report' | 'panel'>> = {
  source,
  channel: { report: 'channels', panel: 'sources' },
  ...others,
};
const traitNames = Object.keys(traits) as Trait[];

/** The panels, and the parameter of the address that names the table to show. */
const groups = {
  ...{ sources: 'campaigns', places: 'place', technology: 'tech' },
} as const satisfies Record<(typeof dimensions)[Dimension]['panel'], string>;

type GroupName = keyof typeof groups;

const answeredIn = (group: GroupName, filter: Filter) =>
  traitNames.filter((name) => traits[name].panel === group && isAnswered(name, filter));

export const traitParts: readonly Part[] = (Object.keys(groups) as GroupName[]).map((group) => ({
  name: group,
  show: (view) => <Traits group={group} {...view} />,
  isAnswered: (filter) => !isOfClients(filter) && answeredIn(group, filter).length > 0,
  isPublic: true,
}));

type Row = BoundedCount & Record<Trait, string>;

/** One table at a time, of people: what AI has none of is on a page of its own. */
function Traits({ group, request, base, read }: View & { group: GroupName }) {
  const { query, hrefWith } = useRouter();
  const parameter = groups[group];
  const names = answeredIn(group, request.filter);
  const trait = names.find((name) => traits[name].report === query.get(parameter)) ?? names[0];
  if (!trait) return null;
  const { report } = traits[trait];
  const { title, head, empty } = t.traits[trait];
  const peopleIn = (data: NamedRows) =>
    ((data[fieldOf(report)] ?? []) as Row[]).filter((row) => boundsOf(row, 'human').to > 0);
  return (
    <Panel<NamedRows>
      key={trait}
      title={title}
      name={report}
      request={{ ...request, address: `${base}/${report}`, sort: 'human' }}
      rowsOf={peopleIn}
      tabs={{
        label: list(names.map((name) => t.traits[name].title)),
        options: Object.fromEntries(names.map((name) => [name, t.traits[name].title])),
        value: trait,
        hrefOf: (name) => hrefWith({ [parameter]: traits[name as Trait].report }),
      }}
      group={t.groups[group]}
      isChosen={query.get(parameter) !== null}
      isLazy
      isComparable
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
              <FilterLink by={trait} value={row[trait]}>
                {labelInTable(trait, row[trait])}
              </FilterLink>
            ),
            bar: { human: row.human, ai: 0 },
            numbers: [
              <>
                <Bounded {...boundsOf(row, 'human')} />
                <Change row={row} by={trait} of="human" />
              </>,
              shareOf(row, data.totals),
            ],
          }))}
        />
      )}
    </Panel>
  );
}

/** What is only known within bounds has no share. */
function shareOf(row: BoundedCount, totals: unknown): ComponentChildren {
  const all = totals as BoundedCount;
  return row.bounds || all.bounds ? '–' : <Share part={row.human} all={all.human} of={t.shareOf.people} />;
}

function sourceLabel(source: string): ComponentChildren {
  return (
    <>
      <bdi>{readable(nameSource(source))}</bdi>
      {isAssistant(source) && <span class="tag">{t.aiAssistant}</span>}
    </>
  );
}
