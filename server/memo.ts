/** Longer texts are rare and mostly hostile; they are computed anew each time. */
const usualKeyLength = 512;

/**
 * Remembers answers of a pure function by its one text; forgets all of them when there are too many. The memory
 * is bounded: at most `maxEntries` texts of `maxKeyLength` characters.
 */
export function memoize<T>(
  compute: (text: string) => T,
  maxEntries: number,
  maxKeyLength = usualKeyLength,
): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const answer = known.get(text);
    if (answer !== undefined) return answer;
    const computed = compute(text);
    if (text.length > maxKeyLength) return computed;
    if (known.size >= maxEntries) known.clear();
    known.set(text, computed);
    return computed;
  };
}
