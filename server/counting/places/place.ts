/** Where a visitor is, as far as it is known. */
export interface Place {
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null;
  /** With its country: `California, US`. */
  readonly region: string | null;
  /** With its region, where it is known, and its country: `Fresno, California, US`. */
  readonly city: string | null;
}

/** Of an IP address in its one spelling; of IPv6 only the first 64 bits count, as for visitors. */
export type FindPlace = (address: string) => Place;

export const nowhere: Place = { country: null, region: null, city: null };
