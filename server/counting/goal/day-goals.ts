import { readRenames } from '../page/renamed.ts';
import { orderOfNames } from '../visit.ts';
import { what } from '../what.ts';
import { DayFunnels } from './funnel.ts';
import {
  type Aims,
  addBits,
  type DayNames,
  GoalMatcher,
  type GoalSum,
  type NameText,
  type Origin,
  type OriginKind,
  originKinds,
  sumOfPeople,
  sumsBy,
} from './goal.ts';

interface Person {
  /** Of the first view, with where it began. */
  moment: number;
  origin: Origin;
  /** Bits of goals. */
  reached: number;
  isInSums: boolean;
}

/** Of people whose visit began at one name: all, and then those who reached each goal. */
type Began = number[];

const nowhere: Origin = { path: 0, source: 0, country: 0 };

/** Which people of a day reached which goals, from what they viewed and did in any order. */
export class DayGoals {
  readonly #goals: readonly string[];
  readonly #names: DayNames;
  readonly #matcher: GoalMatcher;
  /** By the number of a path or an event. */
  readonly #bits = new Map<number, number>();
  readonly #people = new Map<bigint, Person>();
  /** People who are not in the sums. */
  #changed: Person[] = [];
  readonly #funnels: DayFunnels;
  readonly #reached: number[];
  readonly #began: Record<OriginKind, Map<number, Began>> = {
    path: new Map(),
    source: new Map(),
    country: new Map(),
  };
  #views = 0;

  constructor({ goals, funnels, renamedPaths }: Aims, names: DayNames) {
    const renamed = readRenames(renamedPaths);
    this.#goals = goals;
    this.#names = names;
    this.#matcher = new GoalMatcher(goals, renamed);
    this.#funnels = new DayFunnels(funnels, names, renamed);
    this.#reached = goals.map(() => 0);
  }

  /** All other data in memory, besides the people. */
  get deeds(): number {
    return this.#funnels.deeds;
  }

  addView(visitor: bigint, moment: number, origin: Origin): void {
    this.#views++;
    this.#funnels.addView(visitor, moment, origin.path);
    const person = this.#personToChange(visitor);
    person.reached |= this.#bitsOf(origin.path, this.#names.path, (path) => this.#matcher.ofPath(path));
    if (!this.#isBefore(moment, origin, person)) return;
    person.moment = moment;
    person.origin = origin;
  }

  addEvent(visitor: bigint, moment: number, event: number): void {
    this.#funnels.addEvent(visitor, moment, event);
    const bits = this.#bitsOf(event, this.#names.event, (name) => this.#matcher.ofEvent(name));
    if (bits !== 0) this.#personToChange(visitor).reached |= bits;
  }

  /** Who reached each goal. */
  sums(): GoalSum[] {
    this.#addUp();
    return this.#goals.map((text, i) => ({
      ...{ what: what.goal, under: null, text },
      sum: sumOfPeople(this.#reached[i] as number, this.#views),
    }));
  }

  /** Who made each step of the funnels. */
  funnelSums(): GoalSum[] {
    return this.#funnels.sums(this.#views);
  }

  /** All people, and those who reached each goal, by where their visit began. */
  *sumsBy(kind: OriginKind): Generator<GoalSum> {
    this.#addUp();
    for (const [name, people] of this.#began[kind]) {
      const text = this.#names[kind](name);
      if (text !== undefined) yield* sumsBy(kind, text, this.#goals, { people });
    }
  }

  /** One who changes is taken out of the sums until they are next read. */
  #personToChange(visitor: bigint): Person {
    let person = this.#people.get(visitor);
    if (!person) {
      person = { moment: Number.POSITIVE_INFINITY, origin: nowhere, reached: 0, isInSums: false };
      this.#people.set(visitor, person);
    } else if (!person.isInSums) return person;
    else this.#addToSums(person, -1);
    person.isInSums = false;
    this.#changed.push(person);
    return person;
  }

  #addUp(): void {
    for (const person of this.#changed) {
      this.#addToSums(person, 1);
      person.isInSums = true;
    }
    this.#changed = [];
  }

  #addToSums({ reached, origin }: Person, by: 1 | -1): void {
    addBits(this.#reached, 0, reached, by);
    for (const kind of originKinds) {
      const began = this.#began[kind];
      let people = began.get(origin[kind]);
      if (!people) {
        people = Array(this.#goals.length + 1).fill(0) as Began;
        began.set(origin[kind], people);
      }
      people[0] = (people[0] as number) + by;
      addBits(people, 1, reached, by);
      if (people[0] === 0) began.delete(origin[kind]);
    }
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
    const orders = originKinds.map((kind) =>
      orderOfNames(this.#names[kind](origin[kind]), this.#names[kind](known[kind])),
    );
    return (orders.find((order) => order !== 0) ?? 0) < 0;
  }
}
