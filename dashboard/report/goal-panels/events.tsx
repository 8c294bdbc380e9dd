import type { ComponentChildren } from 'preact';
import type { EventsReply, PropertiesReply } from '../../../shared/reports/analytics.ts';
import { Unmeasured } from '../../components/count-cells.tsx';
import { isMissing } from '../../formats/measured.ts';
import { formatCount, formatShare } from '../../formats/number.ts';
import { readable, shorten } from '../../formats/text.ts';
import { Link, useRouter } from '../../router/router.tsx';
import { t } from '../../texts/goals.ts';
import { fill } from '../../texts/part.ts';
import { Bar, NumberTable } from '../count-table.tsx';
import { Panel, type SitePanelProps } from '../panel.tsx';

type Sums = Pick<EventsReply['events'][number], 'human' | 'ai' | 'events'>;

/** What happened on pages; or the properties of the one event that is in the address. */
export function EventPanel(props: SitePanelProps) {
  const event = useRouter().query.get('event');
  return event === null ? <Events {...props} /> : <Properties key={event} event={event} {...props} />;
}

function Events({ base, request }: SitePanelProps) {
  const { hrefWith } = useRouter();
  return (
    <Panel<EventsReply>
      title={t.events}
      name="events"
      request={{ ...request, address: `${base}/events` }}
      isLazy
      unit={t.unitVisitors}
      empty={t.nothingInThisPeriodPagesTell}
      note={<p class="panel-note">{t.theRateIsPeopleByWhom}</p>}
      rowsOf={({ events }) => events}
    >
      {({ events, ...ofAll }) => (
        <Table title={t.eventsByVisitors} head={t.event} rows={events} {...ofAll}>
          {({ event }) => (
            <Link class="name" href={hrefWith({ event, 'properties.page': null, 'properties.search': null })}>
              <bdi>{shorten(readable(event))}</bdi>
            </Link>
          )}
        </Table>
      )}
    </Panel>
  );
}

function Properties({ base, request, event }: SitePanelProps & { event: string }) {
  const { hrefWith } = useRouter();
  const name = shorten(readable(event));
  return (
    <Panel<PropertiesReply>
      title={fill(t.eventNamed, { name })}
      name="properties"
      request={{ ...request, address: `${base}/events/${encodeURIComponent(event)}/properties` }}
      isChosen
      unit={t.unitVisitors}
      empty={t.thisEventHadNoProperties}
      tools={<Link href={hrefWith({ event: null })}>{t.allEvents}</Link>}
      note={<p class="panel-note">{t.theRateIsPeopleWithThatValue}</p>}
      rowsOf={({ properties }) => properties}
    >
      {({ properties, ...ofAll }) => (
        <Table
          title={fill(t.propertiesOfByVisitors, { name })}
          head={t.property}
          rows={properties}
          {...ofAll}
        >
          {({ property, value }) => (
            <>
              <bdi>{shorten(readable(value))}</bdi>{' '}
              <span class="beside">
                <bdi>{shorten(readable(property))}</bdi>
              </span>
            </>
          )}
        </Table>
      )}
    </Panel>
  );
}

interface TableProps<Row> extends Pick<EventsReply, 'totals' | 'measured'> {
  title: string;
  head: string;
  rows: Row[];
  children: (row: Row) => ComponentChildren;
}

function Table<Row extends Sums>({ title, head, rows, totals, measured, children }: TableProps<Row>) {
  const most = Math.max(1, ...rows.map(({ human, ai }) => human + ai));
  return (
    <NumberTable title={title} heads={[head, t.people, t.ai, t.times, t.rate]}>
      {rows.map((row, index) => (
        <tr key={index}>
          <th scope="row">
            {children(row)}
            <Bar human={row.human} ai={row.ai} most={most} />
          </th>
          {(['human', 'ai'] as const).map((of) => (
            <td key={of}>{isMissing(of, row[of], measured) ? <Unmeasured /> : formatCount(row[of])}</td>
          ))}
          <td>{formatCount(row.events)}</td>
          <td>{formatShare(row.human, totals.human)}</td>
        </tr>
      ))}
    </NumberTable>
  );
}
