import type { ComponentChildren } from 'preact';
import type { Count } from '../../shared/analytics.ts';
import { type Dimension, dimensionNames, dimensions } from '../../shared/dimensions.ts';
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
import { Panel, type ReportRequest } from './panel.tsx';

interface Shown {
  /** What the rows are of. */
  head: string;
  label: (name: string) => ComponentChildren;
  /** Tables of one group share a panel. */
  group: 'alone' | 'technology';
  /** What to say where there are no rows. */
  empty?: string;
}

const shown: Record<Dimension, Shown> = {
  source: { head: 'Came from', label: sourceLabel, group: 'alone' },
  country: {
    head: 'Country',
    label: nameCountry,
    group: 'alone',
    empty:
      'No country is known. The server needs a database of countries: see HEADCOUNT_COUNTRY_DATABASE in docs/configuration.md.',
  },
  language: { head: 'Language', label: nameLanguage, group: 'alone' },
  device: { head: 'Device', label: nameDevice, group: 'technology' },
  browser: { head: 'Browser', label: nameTrait, group: 'technology' },
  system: { head: 'System', label: nameTrait, group: 'technology' },
  screen: {
    head: 'Width of the window',
    label: (name) => screenWidths[name] ?? nameTrait(name),
    group: 'technology',
    empty: 'No width is known. The script tells it, the image and reports of servers do not.',
  },
};

const screenWidths: Record<string, string> = {
  xs: 'Below 512 px',
  sm: '512 to 767 px',
  md: '768 to 1023 px',
  lg: '1024 to 1279 px',
  xl: '1280 px and more',
};

const inGroup = (group: Shown['group']) => dimensionNames.filter((name) => shown[name].group === group);

type TraitReply = Record<string, unknown> & { hasMore: boolean };

interface TraitsProps {
  dimension: Dimension;
  request: Omit<ReportRequest, 'address'>;
  base: string;
  tools?: ComponentChildren;
  group?: string;
  isChosen?: boolean;
}

function Traits({ dimension, request, base, tools, group, isChosen = false }: TraitsProps) {
  const { report, title } = dimensions[dimension];
  const { head, label, empty } = shown[dimension];
  const rowsOf = (data: TraitReply) => (data[report] ?? []) as (Count & Record<string, string>)[];
  return (
    <Panel<TraitReply>
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
          rows={rowsOf(data).map(({ human, ai, total, [dimension]: name = '' }) => ({
            name,
            human,
            ai,
            total,
          }))}
          label={(name) => <span class="name">{label(name)}</span>}
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

/** A panel for each dimension that has its own, and one for what visitors read with. */
export function AllTraits(props: Pick<TraitsProps, 'request' | 'base'>) {
  return (
    <>
      {inGroup('alone').map((name) => (
        <Traits key={name} dimension={name} {...props} />
      ))}
      <Technology {...props} />
    </>
  );
}

/** One table at a time. */
function Technology(props: Pick<TraitsProps, 'request' | 'base'>) {
  const { query, hrefWith } = useRouter();
  const names = inGroup('technology');
  const chosen = names.find((name) => dimensions[name].report === query.get('tech')) ?? 'device';
  const tools = (
    <Switch
      label={names.map((name) => dimensions[name].title).join(', ')}
      options={Object.fromEntries(names.map((name) => [name, dimensions[name].title]))}
      value={chosen}
      hrefOf={(name) => hrefWith({ tech: dimensions[name as typeof chosen].report })}
    />
  );
  const isChosen = query.get('tech') !== null;
  return (
    <Traits
      key={chosen}
      dimension={chosen}
      {...{ tools, isChosen }}
      group="Devices and browsers"
      {...props}
    />
  );
}
