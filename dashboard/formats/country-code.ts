const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
let codes: ReadonlyMap<string, string> | undefined;

/** The code (ISO 3166-1 alpha-2) of a country by its English name, as search engines write it; undefined: not known. */
export function codeOfCountry(name: string): string | undefined {
  codes ??= readCodes();
  return codes.get(name);
}

function readCodes(): ReadonlyMap<string, string> {
  const all = letters.flatMap((first) => letters.map((second) => first + second)).filter(isOfCountry);
  // Both `Hong Kong SAR China` and `Hong Kong`.
  const named = (['long', 'short'] as const).flatMap((style) => {
    const names = new Intl.DisplayNames('en', { type: 'region', style, fallback: 'none' });
    return all.map((code) => [names.of(code), code] as const);
  });
  return new Map(
    named.flatMap(([name, code]) =>
      name === undefined
        ? []
        : [
            [name, code],
            [code, code],
          ],
    ),
  );
}

/** Of several countries, of none, and of texts that only look like a language. */
const others = ['EU', 'EZ', 'QO', 'UN', 'XA', 'XB', 'ZZ'];

/** A former code is one of the country of today. */
function isOfCountry(code: string): boolean {
  return !others.includes(code) && new Intl.Locale(`und-${code}`).region === code;
}
