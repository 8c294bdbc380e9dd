import { assistants } from '../../shared/identity/assistant.ts';
import { operatorOf } from '../../shared/identity/operator.ts';
import type { OperatorsQuery } from '../../shared/reports/insights.ts';
import type { Day } from '../counting/calendar.ts';
import { factsOf } from '../identity/client-facts.ts';
import type { AnalyticsStore } from '../store/counts/analytics-store.ts';
import { type BoundedRange, dateOf, mondayOf } from './days.ts';

const assistantNames = [...new Set(assistants.values())];

/** More clients than any catalogue has. */
const maxClients = 2000;

export interface OperatorRow {
  date: string | null;
  operator: string;
  aiViews: number;
  visits: number;
  ratio: number | null;
}

interface Sum {
  day: Day;
  operator: string;
  aiViews: number;
  visits: number;
}

/**
 * Views by an operator's AI clients against people who came from its assistants, by range, week or day, and in each the
 * operator that reads most first.
 */
export async function readOperators(
  store: AnalyticsStore,
  projectId: string,
  { from, to }: BoundedRange,
  { by, operator: only, sort }: Pick<OperatorsQuery, 'by' | 'operator' | 'sort'>,
): Promise<OperatorRow[]> {
  const range = { projectId, from, to };
  const clients = await namesOfClients(store, { ...range });
  const read = await store.readNamedDays({ ...range, of: 'client', names: clients });
  const sent = await store.readNamedDays({ ...range, of: 'source', names: assistantNames });
  const sums = new Map<string, Sum>();
  const sumOf = (day: Day, operator: string): Sum => {
    const first = startOf(day, by);
    const key = `${first} ${operator}`;
    const sum = sums.get(key) ?? { day: first, operator, aiViews: 0, visits: 0 };
    sums.set(key, sum);
    return sum;
  };
  for (const { day, name, views } of read) {
    const { operator } = factsOf(name);
    if (operator !== null) sumOf(day, operator).aiViews += views.ai;
  }
  for (const { day, name, visitors } of sent) sumOf(day, operatorOf(name)).visits += visitors.human;
  return [...sums.values()]
    .filter(({ aiViews, visits, operator }) => aiViews + visits > 0 && operator === (only ?? operator))
    .sort(
      (a, b) =>
        (sort === 'oldest' ? a.day - b.day : b.day - a.day) ||
        b.aiViews - a.aiViews ||
        (a.operator < b.operator ? -1 : 1),
    )
    .map((sum) => toRow(sum, by));
}

/** AI clients with a view in the range. */
export async function namesOfClients(
  store: AnalyticsStore,
  range: BoundedRange & { projectId: string },
): Promise<string[]> {
  const { rows } = await store.readClients({ ...range, limit: maxClients, offset: 0 });
  return [...new Set(rows.map(({ name }) => name))];
}

function startOf(day: Day, by: OperatorsQuery['by']): Day {
  if (by === 'range') return 0;
  return by === 'week' ? mondayOf(day) : day;
}

function toRow({ day, operator, aiViews, visits }: Sum, by: OperatorsQuery['by']): OperatorRow {
  return {
    date: by === 'range' ? null : dateOf(day),
    operator,
    aiViews,
    visits,
    ratio: visits === 0 ? null : Math.round((aiViews / visits) * 100) / 100,
  };
}
