import { splitProperty } from '../counting/what.ts';
import { type Report, replies } from './report.ts';

/** Of visitors, and how often. */
const eventSums = ['human', 'ai', 'total', 'humanEvents', 'aiEvents', 'events'];

export function eventReport(): Report {
  return {
    path: 'events',
    summary: 'What happened on pages: visitors by event, and how often',
    reply: async () => (await replies()).eventsReply,
    field: 'events',
    columns: ['event', ...eventSums],
    limits: [],
    countsVisitors: true,
    tellsMeasured: true,
    read: async (store, query) => {
      const { totals, rows, hasMore } = await store.readEvents(query);
      const events = rows.values().map(({ name: event, ...sums }) => ({ event, ...sums }));
      return { head: { totals }, rows: events, hasMore };
    },
  };
}

export function propertyReport(): Report {
  return {
    path: 'events/:event/properties',
    summary: 'Properties of an event, by their values',
    reply: async () => (await replies()).propertiesReply,
    field: 'properties',
    columns: ['property', 'value', ...eventSums],
    limits: [],
    countsVisitors: true,
    tellsMeasured: true,
    read: async (store, query, { event }) => {
      const { totals, rows, hasMore } = await store.readEvents({ ...query, event: String(event) });
      const properties = rows.values().map(({ name, ...sums }) => ({ ...splitProperty(name), ...sums }));
      return { head: { totals }, rows: properties, hasMore };
    },
  };
}
