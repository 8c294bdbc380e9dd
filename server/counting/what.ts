import { type Dimension, dimensionNames, dimensions } from '../../shared/reports/dimensions.ts';
import { type Pair, pairNames, pairs } from '../../shared/reports/pairs.ts';
import type { SeenClient } from './view.ts';

const others = {
  site: 0,
  path: 1,
  client: 7,
  /** AI clients by proof. */
  clientProof: 9,
  /** Of the project's day, from `00` to `23`; only while the day is open. */
  hour: 26,
  /** Of sealed days: pages on which visits began and ended, those that were all of a visit, and all visits (visit.ts). */
  entry: 40,
  exit: 41,
  singlePage: 42,
  visit: 43,
  /** What happened on a page, by name; and a property of it with its value, under that name (event.ts). */
  event: 27,
  property: 28,
  /** Of sealed days: people who reached a goal, and where their visits began, under that goal (goal.ts). */
  goal: 29,
  goalPath: 30,
  goalSource: 31,
  goalCountry: 32,
  goalDevice: 35,
  /** A funnel, which has no sum of its own, and under it people who came to each of its steps, from `1` (funnel.ts). */
  funnel: 33,
  funnelStep: 34,
  /** Where visits began, of all people, on days of which goals are known, and on what; their pages are those of all visits. */
  entrySource: 44,
  entryCountry: 45,
  entryDevice: 46,
  /** Of closed days: visitors and views of a section, by its glob, and of all pages in none (cells.ts). */
  section: 48,
} as const;

export type What = Dimension | Pair | keyof typeof others;

/** The dimension of a count, as stored: never change a number. */
export const what: Readonly<Record<What, number>> = {
  ...others,
  ...numbersOf(dimensionNames, dimensions),
  ...numbersOf(pairNames, pairs),
};

function numbersOf<Name extends string>(
  names: readonly Name[],
  rules: Readonly<Record<Name, { number: number }>>,
): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, rules[name].number])) as Record<Name, number>;
}

/** The dimension above this one; undefined: none. A pair has paths under another dimension. */
export const parentOf: readonly (number | undefined)[] = (() => {
  const parents: (number | undefined)[] = [];
  parents[what.property] = what.event;
  parents[what.funnelStep] = what.funnel;
  for (const kind of ['goalPath', 'goalSource', 'goalCountry', 'goalDevice'] as const)
    parents[what[kind]] = what.goal;
  for (const pair of pairNames) parents[what[pair]] = what[pairs[pair].under];
  return parents;
})();

const names = new Map(Object.entries(what).map(([name, number]) => [number, name as What]));

/** Of a number that was stored. */
export function nameOf(number: number): What {
  return names.get(number) ?? 'site';
}

/** The number of a dimension in data of another installation. @throws RangeError for an unknown one */
export function numberOf(name: string): number {
  if (Object.hasOwn(what, name)) return what[name as What];
  throw new RangeError(`"${name}" is not something that this version counts by`);
}

/** The name of an AI client with its proof, as the dictionary holds it; no client has a tab in its name. */
export function joinClient({ name, proof }: SeenClient): string {
  return `${name}\t${proof}`;
}

/** A property with its value, as the dictionary holds it. */
export function joinProperty(property: string, value: string): string {
  return `${property}\t${value}`;
}

export function splitProperty(text: string): { property: string; value: string } {
  const [property = '', ...value] = text.split('\t');
  return { property, value: value.join('\t') };
}

export function splitClient(text: string): SeenClient {
  const [name = '', proof] = text.split('\t');
  return { name, proof: proof as SeenClient['proof'] };
}
