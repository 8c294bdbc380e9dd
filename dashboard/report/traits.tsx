import type { ComponentChildren } from 'preact';
import type { Count, Measured } from '../../shared/reports/analytics.ts';
import { type Dimension, dimensionNames, dimensions, fieldOf } from '../../shared/reports/dimensions.ts';
import { Switch } from '../components/switch.tsx';
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
import { CountTable } from './count-table.tsx';
import { isAnswered } from './filter.ts';
import { FilterLink } from './filter-link.tsx';
import { type NamedRows, Panel, type ReportRequest } from './panel.tsx';

interface Shown {
  label: (name: string) => ComponentChildren;
  /** Tables of one group share a panel. */
  group: 'alone' | keyof typeof groups;
}

const declared = {
  source: { label: sourceLabel, group: 'alone' },
  country: { label: nameCountry, group: 'places' },
  region: { label: nameTrait, group: 'places' },
  city: { label: nameTrait, group: 'places' },
  language: { label: nameLanguage, group: 'alone' },
  device: { label: nameDevice, group: 'technology' },
  browser: { label: nameTrait, group: 'technology' },
  system: { label: nameTrait, group: 'technology' },
  screen: { label: (name) => lookUp(t.screenWidths, name) ?? nameTrait(name), group: 'technology' },
  utmCampaign: { label: nameTrait, group: 'campaigns' },
  utmSource: { label: nameTrait, group: 'campaigns' },
  utmMedium: { label: nameTrait, group: 'campaigns' },
  ref: { label: nameTrait, group: 'campaigns' },
} satisfies Record<Dimension, Shown>;

export const shown: Record<Dimension, Shown> = declared;

/** Dimensions that have a panel of their own. */
type Alone = {
  [Name in Dimension]: (typeof declared)[Name]['group'] extends 'alone' ? Name : never;
}[Dimension];

/** Of panels with several tables: the parameter of the address that names the one to show. */
const groups = {
  places: 'place',
  campaigns: 'campaigns',
  technology: 'tech',
} as const;

const inGroup = (group: Shown['group']) => dimensionNames.filter((name) => shown[name].group === group);

interface TraitsProps {
  dimension: Dimension;
  request: Omit<ReportRequest, 'address'>;
  base: string;
  measured: Measured | undefined;
  tools?: ComponentChildren;
  group?: string;
  isChosen?: boolean;
}

function Traits({ dimension, request, base, measured, tools, group, isChosen = false }: TraitsProps) {
  if (!isAnswered(dimension, request.filter ?? {})) return null;
  const { report } = dimensions[dimension];
  const { title, head, empty } = t.traits[dimension];
  const { label } = shown[dimension];
  const rowsOf = (data: NamedRows) => (data[fieldOf(dimension)] ?? []) as (Count & Record<string, string>)[];
  return (
    <Panel<NamedRows>
      title={title}
      name={report}
      request={{ ...request, address: `${base}/${report}` }}
      rowsOf={rowsOf}
      tools={tools}
      isTitleHidden={tools !== undefined}
      group={group}
      isChosen={isChosen}
      unit={t.units.visitors}
      empty={empty}
      of={dimension === 'source' || shown[dimension].group === 'campaigns' ? 'human' : undefined}
    >
      {(data) => (
        <CountTable
          head={head}
          title={fill(t.byVisitors, { title })}
          measured={measured}
          rows={rowsOf(data).map(({ human, ai, total, [dimension]: name = '' }) => ({
            name,
            human,
            ai,
            total,
          }))}
          label={(name) => (
            <FilterLink by={dimension} value={name}>
              {label(name)}
            </FilterLink>
          )}
        />
      )}
    </Panel>
  );
}

function sourceLabel(source: string): ComponentChildren {
  return (
    <>
      <bdi>{readable(nameSource(source))}</bdi>
      {isAssistant(source) && <span class="tag">{t.aiAssistant}</span>}
    </>
  );
}

type Common = Pick<TraitsProps, 'request' | 'base' | 'measured'>;

/** A panel for each dimension that has its own, and one for each group of others, in their order on the page. */
const panels: Record<Alone | keyof typeof groups, (props: Common) => ComponentChildren> = {
  source: (props) => <Traits dimension="source" {...props} />,
  campaigns: (props) => <Group group="campaigns" {...props} />,
  places: (props) => <Group group="places" {...props} />,
  language: (props) => <Traits dimension="language" {...props} />,
  technology: (props) => <Group group="technology" {...props} />,
};

/** Those of which there are sums with the filter. */
export function AllTraits(props: Common) {
  return <>{Object.values(panels).map((panel) => panel(props))}</>;
}

/** One table at a time. */
function Group({ group, ...props }: Common & { group: keyof typeof groups }) {
  const { query, hrefWith } = useRouter();
  const parameter = groups[group];
  const names = inGroup(group).filter((name) => isAnswered(name, props.request.filter ?? {}));
  const chosen = names.find((name) => dimensions[name].report === query.get(parameter)) ?? names[0];
  if (!chosen) return null;
  const tools = names.length > 1 && (
    <Switch
      label={list(names.map((name) => t.traits[name].title))}
      options={Object.fromEntries(names.map((name) => [name, t.traits[name].title]))}
      value={chosen}
      hrefOf={(name) => hrefWith({ [parameter]: dimensions[name as Dimension].report })}
    />
  );
  const isChosen = query.get(parameter) !== null;
  return (
    <Traits
      key={chosen}
      dimension={chosen}
      {...{ isChosen }}
      tools={tools || undefined}
      group={t.groups[group]}
      {...props}
    />
  );
}
