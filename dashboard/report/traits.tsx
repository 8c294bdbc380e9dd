import type { ComponentChildren } from 'preact';
import type { Count, Measured } from '../../shared/analytics.ts';
import { type Dimension, dimensionNames, dimensions, fieldOf } from '../../shared/dimensions.ts';
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
import { CountTable } from './count-table.tsx';
import { FilterLink } from './filter-link.tsx';
import { type NamedRows, Panel, type ReportRequest } from './panel.tsx';

interface Shown {
  /** What the rows are of. */
  head: string;
  label: (name: string) => ComponentChildren;
  /** Tables of one group share a panel. */
  group: 'alone' | keyof typeof groups;
  /** What to say where there are no rows. */
  empty?: string;
}

const needsCities =
  'None are known. Countries come with Headcount; regions and cities need a database of cities: see HEADCOUNT_COUNTRY_DATABASE in docs/configuration.md.';
const noCampaigns = 'No visitor came through a link that names one, such as /tea?utm_campaign=spring.';

const declared = {
  source: { head: 'Came from', label: sourceLabel, group: 'alone' },
  country: {
    head: 'Country',
    label: nameCountry,
    group: 'places',
    empty: 'The countries of these visitors are not known.',
  },
  region: { head: 'Region', label: nameTrait, group: 'places', empty: needsCities },
  city: { head: 'City', label: nameTrait, group: 'places', empty: needsCities },
  language: { head: 'Language', label: nameLanguage, group: 'alone' },
  device: { head: 'Device', label: nameDevice, group: 'technology' },
  browser: { head: 'Browser', label: nameTrait, group: 'technology' },
  system: { head: 'System', label: nameTrait, group: 'technology' },
  screen: {
    head: 'Width of the window',
    label: (name) => screenWidths[name] ?? nameTrait(name),
    group: 'technology',
    empty: 'No widths are known. Only the script measures them; the image and reports from servers do not.',
  },
  utmCampaign: { head: 'Campaign', label: nameTrait, group: 'campaigns', empty: noCampaigns },
  utmSource: { head: 'utm_source', label: nameTrait, group: 'campaigns', empty: noCampaigns },
  utmMedium: { head: 'utm_medium', label: nameTrait, group: 'campaigns', empty: noCampaigns },
  ref: { head: 'ref', label: nameTrait, group: 'campaigns', empty: noCampaigns },
} satisfies Record<Dimension, Shown>;

export const shown: Record<Dimension, Shown> = declared;

/** Dimensions that have a panel of their own. */
type Alone = {
  [Name in Dimension]: (typeof declared)[Name]['group'] extends 'alone' ? Name : never;
}[Dimension];

/** Of panels with several tables: the parameter of the address that names the one to show, and the first of them. */
const groups = {
  places: { parameter: 'place', first: 'country', title: 'Countries and cities' },
  campaigns: { parameter: 'campaigns', first: 'utmCampaign', title: 'Campaigns' },
  technology: { parameter: 'tech', first: 'device', title: 'Devices and browsers' },
} as const;

const screenWidths: Record<string, string> = {
  xs: 'Below 512 px',
  sm: '512 to 767 px',
  md: '768 to 1023 px',
  lg: '1024 to 1279 px',
  xl: '1280 px and more',
};

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
  const { report, title } = dimensions[dimension];
  const { head, label, empty } = shown[dimension];
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
      unit="visitors"
      empty={empty ?? `No ${title.toLowerCase()} in this period.`}
    >
      {(data) => (
        <CountTable
          head={head}
          title={`${title} by visitors`}
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
      {isAssistant(source) && <span class="tag">AI assistant</span>}
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

export function AllTraits(props: Common) {
  return <>{Object.values(panels).map((panel) => panel(props))}</>;
}

/** One table at a time. */
function Group({ group, ...props }: Common & { group: keyof typeof groups }) {
  const { query, hrefWith } = useRouter();
  const { parameter, first, title } = groups[group];
  const names = inGroup(group);
  const chosen = names.find((name) => dimensions[name].report === query.get(parameter)) ?? first;
  const tools = (
    <Switch
      label={names.map((name) => dimensions[name].title).join(', ')}
      options={Object.fromEntries(names.map((name) => [name, dimensions[name].title]))}
      value={chosen}
      hrefOf={(name) => hrefWith({ [parameter]: dimensions[name as Dimension].report })}
    />
  );
  const isChosen = query.get(parameter) !== null;
  return <Traits key={chosen} dimension={chosen} {...{ tools, isChosen }} group={title} {...props} />;
}
