import type { Day } from '../../counting/calendar.ts';
import type { HistoryDay, HistorySum } from '../../counting/history.ts';

export type People = Pick<HistorySum, 'visitors' | 'views'>;

interface NameSum extends People {
  what: number;
  text: string;
}

/** What an export tells of one day, as it is read. */
export class DaySums {
  readonly day: Day;
  #site: People | undefined;
  readonly #names = new Map<string, NameSum>();

  constructor(day: Day) {
    this.day = day;
  }

  /** What has to be remembered. */
  get size(): number {
    return this.#names.size;
  }

  addSite({ visitors, views }: People): void {
    const before = this.#site ?? { visitors: 0, views: 0 };
    this.#site = { visitors: before.visitors + visitors, views: before.views + views };
  }

  /** Adds to a name; nobody is new to it who has no view. */
  add(what: number, name: string, { visitors, views }: People): void {
    const text = name.replaceAll('\0', '');
    if (views === 0 || text === '') return;
    const key = `${what} ${text}`;
    const known = this.#names.get(key);
    if (!known) {
      this.#names.set(key, { what, text, visitors, views });
      return;
    }
    known.visitors += visitors;
    known.views += views;
  }

  /**
   * Null: nobody tells how many visitors there were, or there was none. Whoever stands in several lines of a name is there
   * more than once, but a name has no more visitors than views, nor than the day.
   */
  finish(tool: string): HistoryDay | null {
    const site = this.#site;
    if (!site || site.views === 0) return null;
    const sums = Array.from(this.#names.values(), ({ visitors, ...sum }): HistorySum => {
      return { ...sum, visitors: Math.min(visitors, sum.views, site.visitors) };
    });
    return { day: this.day, tool, site, sums };
  }
}
