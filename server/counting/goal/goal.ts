import { isGlob } from '../../pattern/glob.ts';
import { countedForm, pathMatcher } from '../page/path-pattern.ts';
import { emptySum, type Sum } from '../sum.ts';
import { what } from '../what.ts';

/** Dimensions of conversions, each with its value at the start of the visit: of people who reached a goal, and of all. */
export const conversionKinds = {
  path: { reached: what.goalPath, began: what.entry },
  source: { reached: what.goalSource, began: what.entrySource },
  country: { reached: what.goalCountry, began: what.entryCountry },
} as const;

export type ConversionsBy = keyof typeof conversionKinds;

export const conversionsBy = Object.keys(conversionKinds) as ConversionsBy[];

/** Finds which goals a page or an event reaches: each goal is a bit, by its place. */
export class GoalMatcher {
  readonly #events = new Map<string, number>();
  readonly #paths: { matches: (path: string) => boolean; bit: number }[] = [];

  constructor(goals: readonly string[]) {
    for (const [i, goal] of goals.entries()) {
      if (isPath(goal)) this.#paths.push({ matches: pathMatcher([goal]), bit: 1 << i });
      else this.#events.set(goal, (this.#events.get(goal) ?? 0) | (1 << i));
    }
  }

  ofPath(path: string): number {
    return this.#paths.reduce((bits, { matches, bit }) => (matches(path) ? bits | bit : bits), 0);
  }

  ofEvent(name: string): number {
    return this.#events.get(name) ?? 0;
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
}

export const noAims: Aims = { goals: [], funnels: [] };

/** From stored settings; those of versions without goals have none. */
export function parseAims(goals: string | null = null, funnels: string | null = null): Aims {
  return { goals: JSON.parse(goals ?? '[]'), funnels: JSON.parse(funnels ?? '[]') };
}

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
export type DayNames = Readonly<Record<ConversionsBy | 'event', NameText>>;

/** Where a visit began and came from: numbers of names; 0: it has none. */
export type Origin = Readonly<Record<ConversionsBy, number>>;

/** Of people who did something, with all views that were looked at for it, which show for which days it is known. */
export function sumOfPeople(people: number, views: number): Sum {
  return { ...emptySum(), humanVisitors: people, visitors: people, humanViews: views };
}
