import type { ComponentChildren } from 'preact';
import type { EventsReply, PropertiesReply } from '../../../shared/reports/analytics.ts';
import { Share } from '../../components/count-cells.tsx';
import { isMissing } from '../../formats/measured.ts';
import { readable, shorten } from '../../formats/text.ts';
import { Link, useRouter } from '../../router/router.tsx';
import { t } from '../../texts/goals.ts';
import { fill } from '../../texts/part.ts';
import { t as report } from '../../texts/report.ts';
import { NumberTable } from '../count-table.tsx';
import { Panel } from '../panel.tsx';
import type { Part, View } from '../view.ts';
import { Counted } from './counted.tsx';

type Sums = Pick<EventsReply['events'][number], 'human' | 'ai' | 'events'>;

/** What happened on pages; or the properties of the one event that is in the address. */
export const eventsPart: Part = { name: 'events', show: EventPanel };

function EventPanel(props: View) {
  const event = useRouter().query.get('event');
  return event === null ? <Events {...props} /> : <Properties key={event} event={event} {...props} />;
}

function Events({ base, request }: View) {
  const { hrefWith } = useRouter();
  return (
    <Panel<EventsReply>
      title={t.events}
      name="events"
      request={{ ...request, address: `${base}/events` }}
      isLazy
      isComparable
      of="human"
      empty={t.noEventsInThisPeriod}
      note={<p class="panel-note">{t.theRateIsPeopleByWhom}</p>}
      rowsOf={({ events }) => events}
    >
      {({ events, ...ofAll }) => (
        <Table
          title={t.eventsByVisitors}
          head={t.event}
          by="event"
          of={report.shareOf.people}
          rows={events}
          {...ofAll}
        >
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

function Properties({ base, request, event }: View & { event: string }) {
  const { hrefWith } = useRouter();
  const name = shorten(readable(event));
  return (
    <Panel<PropertiesReply>
      title={fill(t.eventNamed, { name })}
      name="properties"
      request={{ ...request, address: `${base}/events/${encodeURIComponent(event)}/properties` }}
      isChosen
      isComparable
      of="human"
      empty={t.thisEventHadNoProperties}
      choice={<Link href={hrefWith({ event: null })}>{t.allEvents}</Link>}
      note={<p class="panel-note">{t.theRateIsPeopleWithThatValue}</p>}
      rowsOf={({ properties }) => properties}
    >
      {({ properties, ...ofAll }) => (
        <Table
          title={fill(t.propertiesOfByVisitors, { name })}
          head={t.property}
          by={['property', 'value']}
          of={t.shareOfTheEvent}
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
  by: string | readonly string[];
  /** What its rates are of. */
  of: string;
  rows: Row[];
  children: (row: Row) => ComponentChildren;
}

function Table<Row extends Sums>({ title, head, by, of, rows, totals, measured, children }: TableProps<Row>) {
  return (
    <NumberTable
      title={title}
      heads={[head, t.people, t.ai, t.times, t.rate]}
      rows={rows.map((row) => ({
        name: children(row),
        bar: row,
        numbers: [
          ...(['human', 'ai'] as const).map((kind) =>
            isMissing(kind, row[kind], measured) ? null : <Counted key={kind} {...{ row, by }} of={kind} />,
          ),
          <Counted key="events" {...{ row, by }} of="events" />,
          <Share key="share" part={row.human} all={totals.human} of={of} />,
        ],
      }))}
    />
  );
}
