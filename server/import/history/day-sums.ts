import type { Day } from '../../counting/calendar.ts';
import type { HistoryDay, HistorySum } from '../../counting/history.ts';

export type People = Pick<HistorySum, 'visitors' | 'views'>;

interface NameSum extends People {
  what: number;
  text: string;
  /** Visitors by their numbers, where views come one by one. */
  seen?: Set<number>;
}

/** The names of a view besides the site; an empty name is none. */
export type Named = readonly [what: number, name: string];

/** The sums of one day of an export, while it is read. */
export class DaySums {
  readonly day: Day;
  #site: People | undefined;
  #pageViews: number | undefined;
  readonly #names = new Map<string, NameSum>();
  readonly #visitors = new Map<string, number>();
  #seen = 0;

  constructor(day: Day) {
    this.day = day;
  }

  /** The number of entries in memory. */
  get size(): number {
    return this.#names.size + this.#visitors.size + this.#seen;
  }

  addSite({ visitors, views }: People): void {
    const before = this.#site ?? { visitors: 0, views: 0 };
    this.#site = { visitors: before.visitors + visitors, views: before.views + views };
  }

  /** Page views of the site, where another file than the one with its visitors has them. */
  setPageViews(views: number): void {
    this.#pageViews = views;
  }

  /** Adds to a name; nobody is new to it who has no view. */
  add(what: number, name: string, { visitors, views }: People): NameSum | undefined {
    const text = name.replaceAll('\0', '');
    if (views === 0 || text === '') return undefined;
    const key = `${what} ${text}`;
    const known = this.#names.get(key);
    if (!known) {
      const sum: NameSum = { what, text, visitors, views };
      this.#names.set(key, sum);
      return sum;
    }
    known.visitors += visitors;
    known.views += views;
    return known;
  }

  /** Adds one view. @param named of the visitor's first view of the day, or of a later one */
  addView(visitor: string, named: (isFirst: boolean) => readonly Named[]): void {
    const known = this.#visitors.get(visitor);
    const number = known ?? this.#visitors.size;
    if (known === undefined) this.#visitors.set(visitor, number);
    this.addSite({ visitors: known === undefined ? 1 : 0, views: 1 });
    for (const [what, name] of named(known === undefined)) this.#see(what, name, number);
  }

  #see(what: number, name: string, visitor: number): void {
    const sum = this.add(what, name, { visitors: 0, views: 1 });
    if (!sum) return;
    sum.seen ??= new Set();
    if (sum.seen.has(visitor)) return;
    sum.seen.add(visitor);
    sum.visitors++;
    this.#seen++;
  }

  /**
   * Null: the number of visitors is not known, or there was none. A visitor in several lines of a name is in the sum
   * more than once, but a name has no more visitors than views, nor than the day.
   */
  finish(tool: string): HistoryDay | null {
    if (!this.#site) return null;
    const views = this.#pageViews ?? this.#site.views;
    if (views === 0) return null;
    const site = { visitors: Math.min(this.#site.visitors, views), views };
    const sums = Array.from(this.#names.values(), ({ what, text, visitors, views }): HistorySum => {
      return { what, text, views, visitors: Math.min(visitors, views, site.visitors) };
    });
    return { day: this.day, tool, site, sums };
  }
}
