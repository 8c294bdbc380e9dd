import { stepsOf } from '../../../shared/project/goals.ts';
import type { Renamed } from '../page/renamed.ts';
import { what } from '../what.ts';
import { type DayNames, GoalMatcher, type GoalSum, type NameText, sumOfPeople } from './goal.ts';

/** An action at a moment: the steps of each funnel that it matches, as bits. */
interface Deed {
  moment: number;
  steps: readonly number[];
}

interface Person {
  deeds: Deed[];
  /** How many steps of each funnel they had made when they were last added up. */
  made: number[];
}

/**
 * How far people of a day came on the way to something, from what they viewed and did in any order. A step is made at the
 * moment of the one before it, or later.
 */
export class DayFunnels {
  readonly #funnels: readonly string[];
  readonly #names: Pick<DayNames, 'path' | 'event'>;
  readonly #matchers: readonly GoalMatcher[];
  /** By the number of a path or an event; null: it is no step. */
  readonly #steps = new Map<number, readonly number[] | null>();
  readonly #people = new Map<bigint, Person>();
  /** Who did something since they were added up. */
  readonly #changed = new Set<Person>();
  /** How many people made each step of each funnel, of those who were added up. */
  readonly #reached: readonly number[][];
  #deeds = 0;

  constructor(funnels: readonly string[], names: Pick<DayNames, 'path' | 'event'>, renamed: Renamed | null) {
    this.#funnels = funnels;
    this.#names = names;
    this.#matchers = funnels.map((funnel) => new GoalMatcher(stepsOf(funnel), renamed));
    this.#reached = funnels.map((funnel) => stepsOf(funnel).map(() => 0));
  }

  /** How many steps people made, of any funnel. */
  get deeds(): number {
    return this.#deeds;
  }

  addView(visitor: bigint, moment: number, path: number): void {
    this.#add(
      visitor,
      moment,
      this.#stepsOf(path, this.#names.path, (matcher, text) => matcher.ofPath(text)),
    );
  }

  addEvent(visitor: bigint, moment: number, event: number): void {
    this.#add(
      visitor,
      moment,
      this.#stepsOf(event, this.#names.event, (matcher, text) => matcher.ofEvent(text)),
    );
  }

  /** @param views of people that were looked at */
  sums(views: number): GoalSum[] {
    for (const person of this.#changed) this.#addUp(person);
    this.#changed.clear();
    return this.#funnels.flatMap((funnel, place) =>
      (this.#reached[place] as number[]).map((people, step) => ({
        ...{ what: what.funnelStep, under: funnel, text: String(step + 1) },
        sum: sumOfPeople(people, views),
      })),
    );
  }

  /** A visitor with more views has made as many steps as before, or more. */
  #addUp({ deeds, made }: Person): void {
    deeds.sort((a, b) => a.moment - b.moment);
    for (const [place, reached] of this.#reached.entries()) {
      const steps = stepsMade(deeds, place);
      for (let step = made[place] ?? 0; step < steps; step++) reached[step] = (reached[step] ?? 0) + 1;
      made[place] = steps;
    }
  }

  #add(visitor: bigint, moment: number, steps: readonly number[] | null): void {
    if (steps === null) return;
    this.#deeds++;
    let person = this.#people.get(visitor);
    if (!person) {
      person = { deeds: [], made: [] };
      this.#people.set(visitor, person);
    }
    person.deeds.push({ moment, steps });
    this.#changed.add(person);
  }

  #stepsOf(name: number, text: NameText, match: (matcher: GoalMatcher, text: string) => number) {
    const known = this.#steps.get(name);
    if (known !== undefined) return known;
    const named = text(name);
    const bits = named === undefined ? [] : this.#matchers.map((matcher) => match(matcher, named));
    const steps = bits.some((one) => one !== 0) ? bits : null;
    this.#steps.set(name, steps);
    return steps;
  }
}

/** How many steps of a funnel are made. @param deeds by moment */
function stepsMade(deeds: readonly Deed[], funnel: number): number {
  let made = 0;
  for (const [i, { moment }] of deeds.entries()) {
    if (deeds[i - 1]?.moment === moment) continue;
    // Actions at the same moment have no order.
    let bits = 0;
    for (let at = i; deeds[at]?.moment === moment; at++) bits |= deeds[at]?.steps[funnel] ?? 0;
    while ((bits & (1 << made)) !== 0) made++;
  }
  return made;
}
