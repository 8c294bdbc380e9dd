import type { SeenClient } from '../view.ts';

/** New names of one kind that a project may take in on a day; further ones are counted together. */
export const maxNewNamesPerDay = 10_000;
export const otherName = '(other)';

/**
 * What of a day's new names one visitor or network may bring in, so that nobody can flood the report of new pages; and a
 * verified AI client, which may read thousands of pages that have no other views.
 */
const shares = { visitor: 1 / 5, network: 1 / 5, client: 1 / 2 } as const;

/** As long as all together brought fewer, nobody has used up a share. */
export const leastShare = maxNewNamesPerDay * Math.min(...Object.values(shares));

type NameSourceKind = keyof typeof shares;

/** Whose share of the day's new names is used up; `day`: all of them are. */
export type NameCap = NameSourceKind | 'day';

/** Who brings in a new name. */
export interface Contributor {
  visitor: bigint;
  /** Of the visitor, as a number. */
  network: number;
  client: SeenClient | null;
}

/** A visitor, network or client whose new names are counted. */
export interface NameSource {
  kind: NameSourceKind;
  id: bigint | number | string;
}

/** Claims and networks are cheap to have; a proof belongs to one client, whatever networks it comes from. */
export function nameSourcesOf({ visitor, network, client }: Contributor): NameSource[] {
  if (client?.proof === 'verified') return [{ kind: 'client', id: client.name }];
  return [
    { kind: 'visitor', id: visitor },
    { kind: 'network', id: network },
  ];
}

/**
 * Why a name that is new to the project is not added; undefined: it is added. A name that is rejected today may be added
 * tomorrow, or for another source, so that the result must not be cached.
 *
 * @param taken how many new names of its kind a source, or without one all together, brought in that day; `otherName`
 * is not one of them
 */
export function findNameCap(
  sources: readonly NameSource[],
  taken: (source?: NameSource) => number,
): NameCap | undefined {
  const full = sources.find((source) => taken(source) >= maxNewNamesPerDay * shares[source.kind]);
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
