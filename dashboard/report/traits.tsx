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

/** How names are written that are shown otherwise than they are counted. */
const labels: Partial<Record<Dimension, (name: string) => ComponentChildren>> = {
  source: sourceLabel,
  country: nameCountry,
  language: nameLanguage,
  device: nameDevice,
  screen: (name) => lookUp(t.screenWidths, name) ?? nameTrait(name),
};

export const labelOf = (dimension: Dimension) => labels[dimension] ?? nameTrait;

/** Of panels with several tables: the parameter of the address that names the one to show. */
const groups = {
  campaigns: 'campaigns',
  places: 'place',
  technology: 'tech',
} as const;

const inPanel = (panel: (typeof dimensions)[Dimension]['panel']) =>
  dimensionNames.filter((name) => dimensions[name].panel === panel);

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
  const label = labelOf(dimension);
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
      of={dimension === 'source' || dimensions[dimension].panel === 'campaigns' ? 'human' : undefined}
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

/** Those of which there are sums with the filter. */
export function AllTraits(props: Common) {
  const [sources, ...others] = inPanel('alone').map((name) => (
    <Traits key={name} dimension={name} {...props} />
  ));
  return (
    <>
      {sources}
      <Group group="campaigns" {...props} />
      <Group group="places" {...props} />
      {others}
      <Group group="technology" {...props} />
    </>
  );
}

/** One table at a time. */
function Group({ group, ...props }: Common & { group: keyof typeof groups }) {
  const { query, hrefWith } = useRouter();
  const parameter = groups[group];
  const names = inPanel(group).filter((name) => isAnswered(name, props.request.filter ?? {}));
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
