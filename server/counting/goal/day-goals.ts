import { orderOfNames } from '../visit.ts';
import { what } from '../what.ts';
import { DayFunnels } from './funnel.ts';
import {
  type Aims,
  type ConversionsBy,
  conversionKinds,
  conversionsBy,
  type DayNames,
  GoalMatcher,
  type GoalSum,
  type NameText,
  type Origin,
  sumOfPeople,
} from './goal.ts';

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
  readonly #funnels: DayFunnels;
  #views = 0;

  constructor({ goals, funnels }: Aims, names: DayNames) {
    this.#goals = goals;
    this.#names = names;
    this.#matcher = new GoalMatcher(goals);
    this.#funnels = new DayFunnels(funnels, names);
  }

  /** All that is held of people besides the people. */
  get deeds(): number {
    return this.#funnels.deeds;
  }

  addView(visitor: bigint, moment: number, origin: Origin): void {
    this.#views++;
    this.#funnels.addView(visitor, moment, origin.path);
    const person = this.#personOf(visitor);
    person.reached |= this.#bitsOf(origin.path, this.#names.path, (path) => this.#matcher.ofPath(path));
    if (!this.#isBefore(moment, origin, person)) return;
    person.moment = moment;
    person.origin = origin;
  }

  addEvent(visitor: bigint, moment: number, event: number): void {
    this.#funnels.addEvent(visitor, moment, event);
    const bits = this.#bitsOf(event, this.#names.event, (name) => this.#matcher.ofEvent(name));
    if (bits !== 0) this.#personOf(visitor).reached |= bits;
  }

  sums(): GoalSum[] {
    const reached = this.#goals.map((text) => ({
      ...{ what: what.goal, under: null, text },
      sum: sumOfPeople(0, this.#views),
    }));
    for (const person of this.#people.values()) {
      for (const [i, { sum }] of reached.entries()) {
        if ((person.reached & (1 << i)) === 0) continue;
        sum.humanVisitors++;
        sum.visitors++;
      }
    }
    const origins = conversionsBy.flatMap((kind) => [...this.#sumsBy(kind)]);
    return [...reached, ...origins, ...this.#funnels.sums(this.#views)];
  }

  /** All people, and those who reached each goal. */
  *#sumsBy(kind: ConversionsBy): Generator<GoalSum> {
    const { reached, began } = conversionKinds[kind];
    const people = new Map<number, number[]>();
    for (const { origin, reached } of this.#people.values()) {
      let counts = people.get(origin[kind]);
      if (!counts) {
        counts = Array(this.#goals.length + 1).fill(0) as number[];
        people.set(origin[kind], counts);
      }
      (counts[0] as number)++;
      for (let i = 0; reached >> i !== 0; i++) if (reached & (1 << i)) (counts[i + 1] as number)++;
    }
    for (const [name, [all = 0, ...byGoal]] of people) {
      const text = this.#names[kind](name);
      if (text === undefined) continue;
      yield { what: began, under: null, text, sum: sumOfPeople(all, all) };
      for (const [i, goal] of this.#goals.entries()) {
        const count = byGoal[i] ?? 0;
        if (count > 0) yield { what: reached, under: goal, text, sum: sumOfPeople(count, count) };
      }
    }
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
}
