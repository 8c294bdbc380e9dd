import type { ConversionsReply, FunnelsReply, GoalsReply } from '../../../shared/reports/analytics.ts';
import type { ProjectClient } from '../headcount.ts';
import type { Happened } from './event-recount.ts';
import type { WrittenDown } from './stream-recount.ts';

/** What people are to do, by what reaches it. */
const reaching: Record<string, (name: string) => boolean> = {
  'Sign up': (name) => name === 'Sign up',
  '/a': (name) => name === '/a',
  '/{a,b}': (name) => name === '/a' || name === '/b',
};

export const goals = Object.keys(reaching);

/** People and conversions, in all and by where visits began. */
type Recounted = Record<string, { totals: number[] } & Record<Field, Sums>>;
type Field = 'pages' | 'sources' | 'countries' | 'devices';
type Sums = Record<string, number[]>;
type NameOf = (view: WrittenDown) => string | null | undefined;

/** Each goal counted by hand: who reached it on which day, and the first view of each of these. */
export function recountGoals(views: readonly WrittenDown[], happened: readonly Happened[]): Recounted {
  const people = views.filter(({ kind }) => kind === 'human');
  const visits = Map.groupBy(people, ({ day, who }) => day + who);
  const began = new Map(
    [...visits].map(([person, visit]) => [person, visit.toSorted(byTime)[0] as WrittenDown]),
  );
  const did = [
    ...people.map(({ day, who, path }) => ({ person: day + who, name: path })),
    ...happened
      .filter(({ kind }) => kind === 'human')
      .map(({ day, who, of }) => ({ person: day + who, name: of })),
  ];
  return Object.fromEntries(
    Object.entries(reaching).map(([goal, reaches]) => {
      const reached = new Set(did.filter(({ name }) => reaches(name)).map(({ person }) => person));
      const by = (nameOf: NameOf) => conversionsBy(began, reached, nameOf);
      return [
        goal,
        {
          totals: [visits.size, reached.size],
          pages: by(({ path }) => path),
          sources: by(({ source }) => source),
          countries: by(({ names }) => names.country),
          devices: by(({ names }) => names.device),
        },
      ];
    }),
  );
}

function conversionsBy(
  began: ReadonlyMap<string, WrittenDown>,
  reached: ReadonlySet<string>,
  nameOf: NameOf,
): Sums {
  const names = new Set([...began].filter(([person]) => reached.has(person)).map(([, view]) => nameOf(view)));
  return Object.fromEntries(
    [...names].flatMap((name) => {
      if (!name) return [];
      const people = [...began].filter(([, view]) => nameOf(view) === name).map(([person]) => person);
      return [[name, [people.length, people.filter((person) => reached.has(person)).length]]];
    }),
  );
}

/** What has no source comes last. */
function byTime(a: WrittenDown, b: WrittenDown): number {
  const orderOf = (one: string, other: string) => Number(one > other) - Number(one < other);
  return a.at - b.at || orderOf(a.path, b.path) || orderOf(a.source ?? '~', b.source ?? '~');
}

export const funnels = ['/a > /b', '/{a,b} > Sign up > Download', '/a > /b > /{a,b} > Sign up > Download'];

/** How many people made each step of a funnel at the moment of the one before or later, counted by hand. */
export function recountFunnels(
  views: readonly WrittenDown[],
  happened: readonly Happened[],
): Record<string, number[]> {
  const did = [
    ...views.map(({ day, who, kind, at, path }) => ({ person: day + who, kind, at, name: path })),
    ...happened.map(({ day, who, kind, at, of }) => ({ person: day + who, kind, at, name: of })),
  ].filter(({ kind }) => kind === 'human');
  const days = [...Map.groupBy(did, ({ person }) => person).values()];
  return Object.fromEntries(
    funnels.map((funnel) => {
      const steps = funnel.split(' > ').map((step) => reaching[step] ?? ((name: string) => name === step));
      const made = days.map((day) => {
        let from = Number.NEGATIVE_INFINITY;
        const missed = steps.findIndex((reaches) => {
          from = Math.min(...day.filter(({ at, name }) => at >= from && reaches(name)).map(({ at }) => at));
          return from === Number.POSITIVE_INFINITY;
        });
        return missed < 0 ? steps.length : missed;
      });
      return [funnel, steps.map((_, step) => made.filter((count) => count > step).length)];
    }),
  );
}

/** What the server says of the same. */
export async function readFunnels(project: ProjectClient): Promise<Record<string, (number | null)[]>> {
  const { funnels } = await project.get<FunnelsReply>(`/v1/analytics/${project.projectId}/funnels`);
  const steps = Map.groupBy(funnels, ({ funnel }) => funnel);
  return Object.fromEntries(
    [...steps].map(([funnel, rows]) => [funnel, rows.map(({ conversions }) => conversions)]),
  );
}

/** What the server says of goals. */
export async function readGoals(project: ProjectClient): Promise<Recounted> {
  const at = `/v1/analytics/${project.projectId}/goals`;
  const { goals } = await project.get<GoalsReply>(at);
  const recounted: Recounted = {};
  for (const { goal, people, conversions, unmeasuredDays } of goals) {
    const totals = [people, conversions, unmeasuredDays] as number[];
    const read = async (field: Field, report: string) => {
      const reply = await project.get<ConversionsReply>(`${at}/${encodeURIComponent(goal)}/${report}`);
      const rows = reply[field] as Record<string, string | number>[];
      return Object.fromEntries(rows.map((row) => Object.values(row)).map(([name, ...sums]) => [name, sums]));
    };
    recounted[goal] = {
      totals: totals.slice(0, unmeasuredDays === 0 ? 2 : 3),
      pages: (await read('pages', 'entry-pages')) as Sums,
      sources: (await read('sources', 'sources')) as Sums,
      countries: (await read('countries', 'countries')) as Sums,
      devices: (await read('devices', 'devices')) as Sums,
    };
  }
  return recounted;
}
