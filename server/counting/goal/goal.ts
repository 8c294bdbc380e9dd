import { isGlob } from '../../pattern/glob.ts';
import { countedForm } from '../page/path-pattern.ts';
import { matchesBy, type Renamed } from '../page/renamed.ts';
import { emptySum, type Sum } from '../sum.ts';
import { what } from '../what.ts';

/** Dimensions of conversions, each with its value at the start of the visit: of people who reached a goal, and of all. */
export const conversionKinds = {
  path: { reached: what.goalPath, began: what.entry },
  source: { reached: what.goalSource, began: what.entrySource },
  country: { reached: what.goalCountry, began: what.entryCountry },
  device: { reached: what.goalDevice, began: what.entryDevice },
} as const;

export type ConversionsBy = keyof typeof conversionKinds;

/** Those that are kept of each view where there are goals; devices are in its values (device-goals.ts). */
export const originKinds = ['path', 'source', 'country'] as const satisfies ConversionsBy[];

export type OriginKind = (typeof originKinds)[number];

/** Finds which goals a page or an event reaches: each goal is a bit, by its place. */
export class GoalMatcher {
  readonly #bits = new Map<string, number>();
  readonly #matchesOf: (path: string) => readonly string[];

  constructor(goals: readonly string[], renamed: Renamed | null) {
    for (const [i, goal] of goals.entries()) this.#bits.set(goal, (this.#bits.get(goal) ?? 0) | (1 << i));
    this.#matchesOf = matchesBy(goals.filter(isPath), renamed);
  }

  ofPath(path: string): number {
    return this.#matchesOf(path).reduce((bits, goal) => bits | (this.#bits.get(goal) ?? 0), 0);
  }

  ofEvent(name: string): number {
    return isPath(name) ? 0 : (this.#bits.get(name) ?? 0);
  }
}

/** All others are events. */
const isPath = (goal: string) => goal.startsWith('/');

/** Names of which an engine has to find the numbers; a pattern may match any path. */
export function namesOfGoals(goals: readonly string[]): { what: number; text: string }[] {
  return goals
    .filter((goal) => !isPathPattern(goal))
    .map((goal) => ({ what: isPath(goal) ? what.path : what.event, text: countedForm(goal) }));
}

export const hasPatterns = (goals: readonly string[]) => goals.some(isPathPattern);

const isPathPattern = (goal: string) => isPath(goal) && isGlob(goal);

/** The goals of a project, in the owner's order. */
export interface Aims {
  goals: readonly string[];
  funnels: readonly string[];
  /** As stored. */
  renamedPaths: string | null;
}

export const noAims: Aims = { goals: [], funnels: [], renamedPaths: null };

/** From stored settings; those of versions without goals have none. */
export function parseAims(stored: Partial<StoredAims> = {}): Aims {
  const { goals, funnels, renamedPaths = null } = stored;
  return { goals: JSON.parse(goals ?? '[]'), funnels: JSON.parse(funnels ?? '[]'), renamedPaths };
}

export type StoredAims = Record<keyof Aims, string | null>;

/** The key of a count of goals: a goal, or a name under a goal or a funnel. */
export interface GoalSum {
  what: number;
  /** The goal, or the funnel; null: it is under none. */
  under: string | null;
  text: string;
  sum: Sum;
}

/** The text of a name by its number; undefined: it is none, or none any more. */
export type NameText = (name: number) => string | undefined;

/** Names of a day. */
export type DayNames = Readonly<Record<OriginKind | 'event', NameText>>;

/** Where a visit began and came from: numbers of names; 0: it has none. */
export type Origin = Readonly<Record<OriginKind, number>>;

/** Of people who did something, with all views that were looked at for it, which show for which days it is known. */
export function sumOfPeople(people: number, views: number): Sum {
  return { ...emptySum(), humanVisitors: people, visitors: people, humanViews: views };
}

/** @param people with one value of a dimension: how many they are, and how many of them reached each goal */
export function* sumsBy(
  kind: ConversionsBy,
  text: string,
  goals: readonly string[],
  { people: [all = 0, ...byGoal], views = all }: { people: readonly number[]; views?: number },
): Generator<GoalSum> {
  const { reached, began } = conversionKinds[kind];
  yield { what: began, under: null, text, sum: sumOfPeople(all, views) };
  for (const [i, goal] of goals.entries()) {
    const count = byGoal[i] ?? 0;
    if (count > 0) yield { what: reached, under: goal, text, sum: sumOfPeople(count, count) };
  }
}

/** @param first where the count of the first goal is */
export function addBits(counts: number[], first: number, bits: number, by: 1 | -1): void {
  for (let i = 0; bits >> i !== 0; i++) {
    if (bits & (1 << i)) counts[first + i] = (counts[first + i] as number) + by;
  }
}
