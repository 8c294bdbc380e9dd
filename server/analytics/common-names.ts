import type { FilterName } from '../../shared/reports/pairs.ts';

/** Names that people have for what is counted under another. */
const common: Partial<Record<FilterName, Readonly<Record<string, readonly string[]>>>> = {
  country: {
    GB: ['UK', 'Great Britain', 'Britain', 'England'],
    US: ['USA', 'U.S.', 'America', 'United States of America'],
    AE: ['UAE'],
    CZ: ['Czech Republic'],
    NL: ['Holland'],
    TR: ['Turkey'],
  },
  device: {
    desktop: ['computer', 'PC', 'laptop'],
    mobile: ['phone', 'smartphone', 'mobile phone', 'cell phone'],
    smarttv: ['TV', 'television'],
    wearable: ['watch', 'smartwatch'],
    xr: ['VR', 'AR'],
  },
  system: {
    macOS: ['Mac', 'OS X', 'Mac OS X'],
    'Mac OS': ['Mac', 'macOS', 'OS X', 'Mac OS X'],
    'Chrome OS': ['Chromium OS'],
    'Chromium OS': ['Chrome OS'],
    iOS: ['iPhone OS', 'iPadOS'],
    Windows: ['Microsoft Windows', 'Win'],
  },
  browser: {
    Chrome: ['Google Chrome'],
    Edge: ['Microsoft Edge', 'MS Edge'],
    Firefox: ['Mozilla Firefox'],
    Safari: ['Apple Safari'],
    'Mobile Chrome': ['Chrome Mobile', 'Chrome for Android'],
    'Mobile Safari': ['Safari Mobile', 'iOS Safari'],
    'Mobile Firefox': ['Firefox Mobile', 'Firefox for Android'],
    IE: ['Internet Explorer'],
  },
  screen: { xs: ['extra small'], sm: ['small'], md: ['medium'], lg: ['large'], xl: ['extra large'] },
};

/** Those of the dashboard. */
const languages = ['en', 'de', 'ar'];

/** Other names of a name that reports have. */
export function commonNamesOf(by: FilterName, name: string): readonly string[] {
  const own = common[by]?.[name] ?? [];
  if (by === 'country') return [...own, ...namesOfCode('region', name, languages)];
  if (by === 'language') return namesOfCode('language', name, [...languages, name]);
  // They stand before their region and country.
  if (by === 'region' || by === 'city') return name.includes(',') ? [name.split(',', 1)[0] as string] : own;
  return own;
}

/** What a country or a language is called in each of these languages. */
function namesOfCode(type: 'region' | 'language', code: string, inLanguages: readonly string[]): string[] {
  return inLanguages.flatMap((language) => {
    try {
      return new Intl.DisplayNames(language, { type }).of(code) ?? [];
    } catch {
      // It is no code, such as `(other)`.
      return [];
    }
  });
}
