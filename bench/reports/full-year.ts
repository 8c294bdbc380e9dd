import type { Day } from '../../server/counting/calendar.ts';
import type { CounterIncrement } from '../../server/counting/counter.ts';
import type { View } from '../../server/counting/view.ts';
import type { CountsOf } from './seed-year.ts';
import { viewsOfDay } from './seed-year.ts';

export const goalPath = '/docs/chapter-0/page-0';
export const event = 'Download';

const countries = [
  'US',
  'IN',
  'DE',
  'JP',
  'BR',
  'GB',
  'FR',
  'CN',
  'CA',
  'NG',
  'AU',
  'ES',
  'IT',
  'PL',
  'KR',
  'MX',
];
const assistants = ['ChatGPT', 'Perplexity', 'Claude', 'Gemini'];
const clients = [
  'GPTBot',
  'ClaudeBot',
  'OAI-SearchBot',
  'ChatGPT-User',
  'PerplexityBot',
  'CCBot',
  'Bytespider',
];
/** Of a day, by each client. */
const readPages = 300;
const failedPages = 40;

/** A day as `viewsOfDay` has it, with countries, people from assistants, events, and what AI does. */
export const fullCounts: CountsOf = (projectId, day) => {
  const people = viewsOfDay(projectId, day).map(dressed);
  const events = people
    .filter((_, index) => index % 50 === 0)
    .map((view): View => ({ ...view, event: { name: event, properties: [] } }));
  const ai = clients.flatMap((_, index) => viewsByAi(projectId, day, index));
  return { views: [...people, ...events, ...ai], counters: countersOf(projectId, day) };
};

function dressed(view: View, index: number): View {
  const country = countries[view.network % countries.length] as string;
  const fromAssistant = view.source !== null && index % 3 === 0;
  return {
    ...view,
    ...{ country, language: 'en', hasGoals: true },
    ...(fromAssistant && { source: assistants[index % assistants.length] as string }),
  };
}

function viewsByAi(projectId: string, day: Day, client: number): View[] {
  const name = clients[client] as string;
  return viewsOfDay(projectId, day)
    .filter((_, index) => index % 17 === client)
    .slice(0, readPages)
    .map(
      (view): View => ({
        ...view,
        ...{ kind: 'ai', visitor: BigInt(client + 1), network: client, source: null },
        ...{ client: { name, proof: client % 2 === 0 ? 'verified' : 'claimed' } },
      }),
    );
}

function countersOf(projectId: string, day: Day): CounterIncrement[] {
  const common = { projectId, day, hits: 3, amount: 0 };
  const each = clients.flatMap((client): CounterIncrement[] => [
    { ...common, counter: 'ai-formats', group: client, name: 'html', hits: readPages },
    { ...common, counter: 'ai-bytes', group: client, name: '', hits: readPages, amount: 4e7 },
    { ...common, counter: 'ai-files', group: `${client}\t200`, name: '/robots.txt' },
    { ...common, counter: 'ai-disallowed', group: client, name: '/docs/internal' },
    { ...common, counter: 'ai-networks', group: client, name: 'rented' },
    { ...common, counter: 'signatures', group: 'OpenAI', name: 'valid' },
    ...pages(failedPages, day).flatMap((name): CounterIncrement[] => [
      { ...common, counter: 'ai-failures', group: `${client}\t404`, name },
      { ...common, counter: 'ai-cut-off', group: client, name, amount: 6e5 },
    ]),
  ]);
  const ofPeople = pages(failedPages, day).flatMap((name): CounterIncrement[] => [
    { ...common, counter: 'text-fragments', group: 'google.com\tTwo cups', name },
    { ...common, counter: 'visible-time', group: '30', name },
  ]);
  const dataSources = { ...common, counter: 'data-sources' } as const;
  return [
    ...each,
    ...ofPeople,
    { ...dataSources, group: 'script', name: 'people' },
    { ...dataSources, group: 'log', name: 'ai' },
  ];
}

/** Some that are others every day, so that a year has many names. */
function pages(count: number, day: Day): string[] {
  return Array.from({ length: count }, (_, i) => `/docs/chapter-${i}/page-${(day * 7 + i * 50) % 5_000}`);
}
