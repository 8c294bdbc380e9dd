/** So many of so many. */
export interface Share {
  hits: number;
  of: number;
}

export interface Interval {
  low: number;
  high: number;
}

/** Of a normal variable: 95 % lie within so many standard deviations. */
const z = 1.959964;

/** Wilson's score interval of a share: https://doi.org/10.1080/01621459.1927.10502953 */
function wilson({ hits, of }: Share): Interval {
  const share = hits / of;
  const middle = (share + z ** 2 / (2 * of)) / (1 + z ** 2 / of);
  const half = (z * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2))) / (1 + z ** 2 / of);
  return { low: middle - half, high: middle + half };
}

/**
 * By how much a share changed, in 95 of 100 cases: Newcombe's hybrid score interval of a difference (1998, method 10), which
 * holds for small numbers, too. Null: one side has nothing. https://doi.org/10.1002/(SICI)1097-0258(19980430)17:8%3C873::AID-SIM779%3E3.0.CO;2-I
 */
export function intervalOfChange(before: Share, after: Share): Interval | null {
  if (before.of === 0 || after.of === 0) return null;
  const [was, is] = [wilson(before), wilson(after)];
  const [shareBefore, share] = [before.hits / before.of, after.hits / after.of];
  const change = share - shareBefore;
  return {
    low: change - Math.hypot(share - is.low, was.high - shareBefore),
    high: change + Math.hypot(is.high - share, shareBefore - was.low),
  };
}
