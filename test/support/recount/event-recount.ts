import type { EventsReply, PropertiesReply } from '../../../shared/reports/analytics.ts';
import type { ProjectClient } from '../headcount.ts';
import { type Happening, userAgents } from './hit-stream.ts';

/** An event, or a property of one, that counts: of whom, and on which day. */
export interface Happened {
  of: string;
  day: string;
  /** Milliseconds since 1970. */
  at: number;
  who: string;
  kind: 'human' | 'ai';
}

type Sums = Record<string, number[]>;

const agentOf = ({ kind }: Happening) => String(userAgents[kind][0]);

export const toHit = (happening: Happening) => ({
  url: 'https://example.com/a',
  ip: happening.ip,
  userAgent: agentOf(happening),
  event: { name: happening.name, properties: happening.properties },
});

/** Writes down what counts of events of a day. */
export function happenedOn(day: string, at: number, happenings: readonly Happening[]): Happened[] {
  return happenings.flatMap((happening) => {
    const { ip, kind, name, properties } = happening;
    if (kind === 'bot') return [];
    const who = `${ip.startsWith('2001:db8::') ? '2001:db8::/64' : ip} ${agentOf(happening)}`;
    const all = [name, ...Object.entries(properties).map((property) => [name, ...property].join(' '))];
    return all.map((of) => ({ of, day, at, who, kind }));
  });
}

/** Visitors by people, by AI and in all, and how often: each counted by hand. */
export function recountEvents(happened: readonly Happened[]): Sums {
  const sums: Sums = {};
  for (const name of new Set(happened.map(({ of }) => of))) {
    const those = happened.filter(({ of }) => of === name);
    const lists = [
      those.filter(({ kind }) => kind === 'human'),
      those.filter(({ kind }) => kind === 'ai'),
      those,
    ];
    const visitors = lists.map((list) => new Set(list.map(({ day, who }) => day + who)).size);
    sums[name] = [...visitors, ...lists.map(({ length }) => length)];
  }
  return sums;
}

/** What the server says of the same. */
export async function readEvents(project: ProjectClient): Promise<Sums> {
  const at = `/v1/analytics/${project.projectId}/events`;
  const { events } = await project.get<EventsReply>(at);
  const sums: Sums = {};
  for (const { event, ...row } of events) {
    sums[event] = Object.values(row);
    const { properties } = await project.get<PropertiesReply>(
      `${at}/${encodeURIComponent(event)}/properties`,
    );
    for (const { property, value, ...row } of properties)
      sums[`${event} ${property} ${value}`] = Object.values(row);
  }
  return sums;
}
