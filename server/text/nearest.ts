/** Words that other programs use for the same thing, without case and separators. */
const synonyms: Readonly<Record<string, string>> = {
  campaign: 'utmCampaign',
  referrer: 'source',
  referer: 'source',
  since: 'dateFrom',
  start: 'dateFrom',
  startdate: 'dateFrom',
  until: 'dateTo',
  end: 'dateTo',
  enddate: 'dateTo',
};
/** Names that may be meant are short; distances take the product of two lengths. */
const maxLength = 40;

/** Which of the names may be meant: one with other case or separators, a part of one (`from`), or one with a few wrong letters. */
export function nameMeantBy(name: string, names: readonly string[]): string | undefined {
  if (name.length > maxLength) return undefined;
  const plain = bare(name);
  const same = names.find((candidate) => bare(candidate) === plain);
  if (same !== undefined) return same;
  const synonym = Object.hasOwn(synonyms, plain) ? synonyms[plain] : undefined;
  if (synonym !== undefined && names.includes(synonym)) return synonym;
  const mostWrong = Math.floor(plain.length / 3);
  const misspelt = mostWrong > 0 ? nearestOf(plain, names.map(bare), mostWrong) : undefined;
  if (misspelt) return names.find((candidate) => bare(candidate) === misspelt.name);
  return plain.length < 2
    ? undefined
    : (names.find((candidate) => bare(candidate).endsWith(plain)) ??
        names.find((candidate) => bare(candidate).startsWith(plain)));
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** The name with the fewest wrong letters, at most so many. */
export function nearestOf(
  name: string,
  names: readonly string[],
  mostWrong: number,
): { name: string; wrong: number } | undefined {
  const alike = names.filter((candidate) => Math.abs(candidate.length - name.length) <= mostWrong);
  const found = alike.map((candidate) => ({ name: candidate, wrong: distance(name, candidate) }));
  const [best] = found.sort((a, b) => a.wrong - b.wrong);
  return best && best.wrong <= mostWrong ? best : undefined;
}

/** Letters to add, drop, replace or swap: https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance */
function distance(a: string, b: string): number {
  const rows: number[][] = [];
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 0; i <= a.length; i++) {
    rows[i] = [];
    for (let j = 0; j <= b.length; j++) {
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const best = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
        isSwapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
      (rows[i] as number[])[j] = i + j === 0 ? 0 : best;
    }
  }
  return at(a.length, b.length);
}
