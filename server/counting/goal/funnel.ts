import { stepsOf } from '../../../shared/project/goals.ts';
import { what } from '../what.ts';
import { type DayNames, GoalMatcher, type GoalSum, type NameText, sumOfPeople } from './goal.ts';

/** What somebody did at a moment: of each funnel the steps that it is, as bits. */
interface Deed {
  moment: number;
  steps: readonly number[];
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
  readonly #people = new Map<bigint, Deed[]>();
  #deeds = 0;

  constructor(funnels: readonly string[], names: Pick<DayNames, 'path' | 'event'>) {
    this.#funnels = funnels;
    this.#names = names;
    this.#matchers = funnels.map((funnel) => new GoalMatcher(stepsOf(funnel)));
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
    const people = [...this.#people.values()].map((deeds) => deeds.toSorted((a, b) => a.moment - b.moment));
    return this.#funnels.flatMap((funnel, place) => {
      const made = people.map((deeds) => stepsMade(deeds, place));
      return stepsOf(funnel).map((_, step) => ({
        ...{ what: what.funnelStep, under: funnel, text: String(step + 1) },
        sum: sumOfPeople(made.filter((steps) => steps > step).length, views),
      }));
    });
  }

  #add(visitor: bigint, moment: number, steps: readonly number[] | null): void {
    if (steps === null) return;
    this.#deeds++;
    const deeds = this.#people.get(visitor);
    if (deeds) deeds.push({ moment, steps });
    else this.#people.set(visitor, [{ moment, steps }]);
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
    // What was at one moment has no order.
    let bits = 0;
    for (let at = i; deeds[at]?.moment === moment; at++) bits |= deeds[at]?.steps[funnel] ?? 0;
    while ((bits & (1 << made)) !== 0) made++;
  }
  return made;
}
