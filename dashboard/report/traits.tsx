import type { ComponentChildren } from 'preact';
import type { Count } from '../../shared/analytics.ts';
import { isAssistant, nameCountry, nameDevice, nameSource, nameTrait } from '../formats/names.ts';
import { readable } from '../formats/text.ts';
import { Link, useRouter } from '../router/router.tsx';
import { CountTable } from './count-table.tsx';
import { Panel, type ReportRequest } from './panel.tsx';

/** Reports of people and AI by a name: their routes, what a row of each is called in replies, and how it is shown. */
const reports = {
  sources: { field: 'source', title: 'Sources', head: 'Came from', label: sourceLabel },
  countries: { field: 'country', title: 'Countries', head: 'Country', label: nameCountry },
  devices: { field: 'device', title: 'Devices', head: 'Device', label: nameDevice },
  browsers: { field: 'browser', title: 'Browsers', head: 'Browser', label: nameTrait },
  systems: { field: 'system', title: 'Systems', head: 'System', label: nameTrait },
} as const;

type ReportName = keyof typeof reports;

type TraitReply = Record<string, unknown> & { hasMore: boolean };

interface TraitsProps {
  report: ReportName;
  request: Omit<ReportRequest, 'path'>;
  base: string;
  tools?: ComponentChildren;
  title?: string;
}

export function Traits({ report, request, base, tools, title = reports[report].title }: TraitsProps) {
  const { field, head, label } = reports[report];
  const rowsOf = (data: TraitReply) => (data[report] ?? []) as (Count & Record<string, string>)[];
  return (
    <Panel<TraitReply>
      title={title}
      name={report}
      request={{ ...request, path: `${base}/${report}` }}
      rowsOf={rowsOf}
      tools={tools}
      isTitleHidden={tools !== undefined}
      empty={
        report === 'countries'
          ? 'No country is known. The server needs a database of countries: see HEADCOUNT_COUNTRY_DATABASE in docs/configuration.md.'
          : 'Nothing in this time.'
      }
    >
      {(data) => (
        <CountTable
          head={head}
          title={`${title} by visitors`}
          rows={rowsOf(data).map(({ human, ai, total, [field]: name = '' }) => ({ name, human, ai, total }))}
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

const technology = ['devices', 'browsers', 'systems'] as const;

/** What visitors read with; one table at a time. */
export function Technology({ request, base }: Pick<TraitsProps, 'request' | 'base'>) {
  const { query, hrefWith } = useRouter();
  const chosen = technology.find((name) => name === query.get('tech')) ?? 'devices';
  const tools = (
    <nav class="switch" aria-label="Devices, browsers or systems">
      {technology.map((name) => (
        <Link
          key={name}
          href={hrefWith({ tech: name === 'devices' ? null : name })}
          aria-current={name === chosen ? 'true' : undefined}
        >
          {reports[name].title}
        </Link>
      ))}
    </nav>
  );
  return <Traits key={chosen} report={chosen} request={request} base={base} tools={tools} />;
}
