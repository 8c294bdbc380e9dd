import type { ProjectSettings } from '../../../shared/project/project.ts';
import type { CountedView, DatasetView } from './view.ts';

/** What the owner of the site wants its readers to do. */
export const datasetGoals: Partial<ProjectSettings> = {
  goals: ['Download', 'Subscribe', '/docs/quickstart'],
  funnels: ['/ > /docs/install > Download'],
};

interface Event {
  name: string;
  properties: Record<string, string>;
}

/** By page; and by how many of a hundred readers of it. */
const events: Readonly<Record<string, (view: CountedView) => Event & { percent: number }>> = {
  '/docs/install': ({ traits }) => ({
    ...{ name: 'Download', percent: 34 },
    properties: { system: traits.system ?? 'other' },
  }),
  '/': () => ({ name: 'Subscribe', percent: 4, properties: { list: 'Tea of the month' } }),
  '/pricing': () => ({ name: 'Outbound link', percent: 21, properties: { to: 'https://shop.example/' } }),
};

/** What somebody does on the page besides viewing it: whose address it is decides who does. */
export function eventOn({ via, fate, address }: DatasetView): Event | undefined {
  if (via !== 'script' || fate.dropped !== undefined || fate.kind !== 'human') return undefined;
  const found = events[fate.path]?.(fate);
  if (!found || luckOf(address) >= found.percent) return undefined;
  return { name: found.name, properties: found.properties };
}

/** From 0 to 99. */
function luckOf(address: string): number {
  return [...address].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 10_007, 7) % 100;
}
