import picomatch from 'picomatch';
import { parsePage } from './page/page.ts';
import { addView, emptySum, kindBits, type Sum } from './sum.ts';
import { orderOfNames } from './visit.ts';
import { what } from './what.ts';

/** What conversions are told by, each as it was where the visit began: of those who reached a goal, and of all people. */
export const conversionKinds = {
  path: { reached: what.goalPath, began: what.entry },
  source: { reached: what.goalSource, began: what.entrySource },
  country: { reached: what.goalCountry, began: what.entryCountry },
} as const;

export type ConversionsBy = keyof typeof conversionKinds;

const conversionsBy = Object.keys(conversionKinds) as ConversionsBy[];

/** Tells which goals a page or an event reaches: each goal is a bit, by its place. */
export class GoalMatcher {
  readonly #events = new Map<string, number>();
  readonly #paths: { matches: (path: string) => boolean; bit: number }[] = [];

  constructor(goals: readonly string[]) {
    for (const [i, goal] of goals.entries()) {
      if (isPath(goal))
        this.#paths.push({ matches: picomatch(countedForm(goal), { dot: true }), bit: 1 << i });
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

/** Names of which an engine has to find the numbers; a pattern may stand for any path. */
export function namesOfGoals(goals: readonly string[]): { what: number; text: string }[] {
  return goals
    .filter((goal) => !isPattern(goal))
    .map((goal) => ({ what: isPath(goal) ? what.path : what.event, text: countedForm(goal) }));
}

export const hasPatterns = (goals: readonly string[]) => goals.some(isPattern);

const isPattern = (goal: string) => isPath(goal) && picomatch.scan(goal).isGlob === true;

/** A path as it counts, however the owner wrote it. */
function countedForm(goal: string): string {
  if (!isPath(goal) || isPattern(goal) || goal.includes('#')) return goal;
  return parsePage(`https://site.example${goal}`, [], false)?.path ?? goal;
}

/** What a count of goals is of: a goal, or a name that is under one. */
export interface GoalSum {
  what: number;
  /** The goal; null: it is under none. */
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

interface Person {
  /** Of the first view, with where it began. */
  moment: number;
  origin: Origin;
  /** Bits of goals. */
  reached: number;
}

const nowhere: Origin = { path: 0, source: 0, country: 0 };

/** Which people of a day reached which goals, from what they viewed and did in any order. */
export class DayGoals {
  readonly #goals: readonly string[];
  readonly #names: DayNames;
  readonly #matcher: GoalMatcher;
  /** By the number of a path or an event. */
  readonly #bits = new Map<number, number>();
  readonly #people = new Map<bigint, Person>();
  #views = 0;

  constructor(goals: readonly string[], names: DayNames) {
    this.#goals = goals;
    this.#names = names;
    this.#matcher = new GoalMatcher(goals);
  }

  addView(visitor: bigint, moment: number, origin: Origin): void {
    this.#views++;
    const person = this.#personOf(visitor);
    person.reached |= this.#bitsOf(origin.path, this.#names.path, (path) => this.#matcher.ofPath(path));
    if (!this.#isBefore(moment, origin, person)) return;
    person.moment = moment;
    person.origin = origin;
  }

  addEvent(visitor: bigint, event: number): void {
    const bits = this.#bitsOf(event, this.#names.event, (name) => this.#matcher.ofEvent(name));
    if (bits !== 0) this.#personOf(visitor).reached |= bits;
  }

  sums(): GoalSum[] {
    const sums = new Map<string, GoalSum>();
    const reached = this.#goals.map((text) => ({ what: what.goal, under: null, text, sum: emptySum() }));
    for (const person of this.#people.values()) {
      this.#addOrigin(sums, person.origin, null);
      for (const [i, sum] of reached.entries()) {
        if ((person.reached & (1 << i)) === 0) continue;
        addPerson(sum);
        this.#addOrigin(sums, person.origin, sum.text);
      }
    }
    // The views that were looked at show for which days a goal is known.
    for (const { sum } of reached) sum.humanViews = this.#views;
    return [...reached, ...sums.values()];
  }

  #personOf(visitor: bigint): Person {
    const known = this.#people.get(visitor);
    if (known) return known;
    const person = { moment: Number.POSITIVE_INFINITY, origin: nowhere, reached: 0 };
    this.#people.set(visitor, person);
    return person;
  }

  #bitsOf(name: number, textOf: NameText, match: (text: string) => number): number {
    const known = this.#bits.get(name);
    if (known !== undefined) return known;
    const text = textOf(name);
    const bits = text === undefined ? 0 : match(text);
    this.#bits.set(name, bits);
    return bits;
  }

  /** Of two views at the same moment the one was first whose page, then source, then country comes first. */
  #isBefore(moment: number, origin: Origin, { moment: first, origin: known }: Person): boolean {
    if (moment !== first) return moment < first;
    const orders = conversionsBy.map((kind) =>
      orderOfNames(this.#names[kind](origin[kind]), this.#names[kind](known[kind])),
    );
    return (orders.find((order) => order !== 0) ?? 0) < 0;
  }

  /** @param goal null: of all people */
  #addOrigin(sums: Map<string, GoalSum>, origin: Origin, goal: string | null): void {
    for (const kind of conversionsBy) {
      const { reached, began } = conversionKinds[kind];
      const thing = goal === null ? began : reached;
      const key = `${thing} ${origin[kind]} ${goal}`;
      const known = sums.get(key);
      const text = known?.text ?? this.#names[kind](origin[kind]);
      if (text === undefined) continue;
      const sum = known ?? { what: thing, under: goal, text, sum: emptySum() };
      addPerson(sum);
      sums.set(key, sum);
    }
  }
}

function addPerson({ sum }: GoalSum): void {
  addView(sum, kindBits.human, 0);
}
