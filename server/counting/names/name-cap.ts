import type { SeenClient } from '../view.ts';

/** New names of one kind that a project may take in on a day; further ones are counted together. */
export const maxNewNamesPerDay = 10_000;
export const otherName = '(other)';

/**
 * What of a day's new names one visitor or network may bring in, so that nobody can blind the report of new pages; and an
 * AI client that proved itself, which may read thousands of pages that nobody else has seen.
 */
const shares = { visitor: 1 / 5, network: 1 / 5, client: 1 / 2 } as const;

/** As long as all together took fewer, nobody has used up a part. */
export const leastShare = maxNewNamesPerDay * Math.min(...Object.values(shares));

type TakerKind = keyof typeof shares;

/** Whose part of the day's new names is used up; `day`: all of them are. */
export type NameCap = TakerKind | 'day';

/** Who brings in a new name. */
export interface Contributor {
  visitor: bigint;
  /** Of the visitor, as a number. */
  network: number;
  client: SeenClient | null;
}

/** Somebody whose new names are counted. */
export interface Taker {
  kind: TakerKind;
  id: bigint | number | string;
}

/** Claims and networks are cheap to have; a proof stands for one client, whatever networks it comes from. */
export function takersOf({ visitor, network, client }: Contributor): Taker[] {
  if (client?.proof === 'verified') return [{ kind: 'client', id: client.name }];
  return [
    { kind: 'visitor', id: visitor },
    { kind: 'network', id: network },
  ];
}

/**
 * Why a name that the project does not know yet is not taken in; undefined: it is. What is refused today may get a name of
 * its own tomorrow, or from somebody else, so it must not be remembered.
 *
 * @param taken how many new names of its kind somebody, or without a taker everybody, brought in that day; `otherName` is
 * not one of them
 */
export function findNameCap(takers: readonly Taker[], taken: (taker?: Taker) => number): NameCap | undefined {
  const full = takers.find((taker) => taken(taker) >= maxNewNamesPerDay * shares[taker.kind]);
  if (full) return full.kind;
  return taken() < maxNewNamesPerDay ? undefined : 'day';
}

/** Views that counted under `otherName`, and why: of people, or of an AI client. */
export interface CappedViews {
  /** As in `what`. */
  what: number;
  cap: NameCap;
  kind: 'human' | 'ai';
  /** Name of the AI client; empty for people. */
  client: string;
  views: number;
}
