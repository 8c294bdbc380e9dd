/** The tag of a release. */
export interface Version {
  tag: string;
  commit: string;
  /** 1.12.0 is [1, 12, 0]. */
  numbers: readonly number[];
}

/**
 * A tag that ends with numbers, such as v1.2.0, 2026.11 or release-3. What goes on behind them is a version before a release
 * (1.2.0-rc.1), and what has a slash or an at sign before them is of a part of the repository.
 */
export function parseVersion(tag: string, commit: string): Version | undefined {
  const [, numbers] = /^[^\d/@]{0,40}?(\d{1,9}(?:\.\d{1,9}){0,4})$/.exec(tag) ?? [];
  return numbers === undefined ? undefined : { tag, commit, numbers: numbers.split('.').map(Number) };
}

/** Below 0: the first is older. */
export function compareVersions(a: Pick<Version, 'numbers'>, b: Pick<Version, 'numbers'>): number {
  for (let i = 0; i < Math.max(a.numbers.length, b.numbers.length); i++) {
    const difference = (a.numbers[i] ?? 0) - (b.numbers[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Undefined: no tag is one. */
export function newestVersion(versions: readonly Version[]): Version | undefined {
  return versions.toSorted(compareVersions).at(-1);
}
