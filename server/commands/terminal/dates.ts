/** The first and the last; empty: there are none. */
export function describeDates(dates: readonly string[]): string {
  const sorted = dates.toSorted();
  const [first = '', last = ''] = [sorted.at(0), sorted.at(-1)];
  return first === last ? first : `${first} to ${last}`;
}
