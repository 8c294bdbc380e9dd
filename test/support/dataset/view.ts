import type { CountedKind, SeenClient } from '../../../server/counting/view.ts';
import type { Traits } from '../../../server/counting/visitor/visitor.ts';
import type { DropReason } from '../../../shared/hit.ts';

/** One view of the dataset: what is sent, and what has to become of it. */
export interface DatasetView {
  /** By the tracker in a browser, or by the site's own server, which alone sees programs that run no script. */
  via: 'script' | 'report';
  url: string;
  referrer?: string;
  address: string;
  userAgent: string;
  /** When the server saw it, from 0 to 24; the tracker reports at once. */
  hour?: number;
  /** The request headers, which a server passes on. */
  accept?: string;
  acceptLanguage?: string;
  /** Markers that the tracker finds in the page. */
  signs?: string;
  /** Width of the window, which the tracker reports. */
  width?: number;
  fate: CountedView | Dropped;
}

export interface CountedView {
  dropped?: undefined;
  kind: CountedKind;
  path: string;
  /** Null for a step inside the site. */
  source: string | null;
  /** By the database that tests use; null where it knows none. */
  country: string | null;
  language: string | null;
  screen: string | null;
  traits: Traits;
  client: SeenClient | null;
}

interface Dropped {
  dropped: DropReason;
  /** The sort of bot, or the AI client that was spoofed. */
  family: string | null;
}

export interface DatasetDay {
  /** `YYYY-MM-DD`, in UTC as all of the dataset. */
  date: string;
  startMs: number;
  /** The moment at which its last view has been seen. */
  endsAtMs: number;
  /** From 0 for the first day to nearly 1 for the last. */
  progress: number;
  /** Saturdays and Sundays have fewer readers. */
  isWeekend: boolean;
  /** Days since the launch; negative before it. */
  sinceLaunch: number;
  /** How much of it is over: less than 1 for today. */
  length: number;
}

/** What the parts of the dataset draw from. */
export interface Dice {
  /** From 0 to below 1. */
  random: () => number;
  /** A whole number from `min` to `max`. */
  between(min: number, max: number): number;
  /** One of the list, each as likely as its weight; without weights all alike. */
  pick<T>(list: readonly T[], weightOf?: (item: T) => number): T;
}

export function createDice(random: () => number): Dice {
  return {
    random,
    between: (min, max) => min + Math.floor(random() * (max - min + 1)),
    pick: (list, weightOf = () => 1) => {
      let at = random() * list.reduce((sum, item) => sum + weightOf(item), 0);
      const found = list.find((item) => {
        at -= weightOf(item);
        return at < 0;
      });
      const item = found ?? list.at(-1);
      if (item === undefined) throw new Error('There is nothing to pick from.');
      return item;
    },
  };
}

/** Oldest first. */
export type Dataset = (DatasetDay & { views: DatasetView[] })[];
