/** The languages that the dashboard speaks, each by the name that it gives itself. */
export const languages = {
  en: { name: 'English', direction: 'ltr' },
  de: { name: 'Deutsch', direction: 'ltr' },
  ar: { name: 'العربية', direction: 'rtl' },
} as const;

export type Language = keyof typeof languages;

export const languageTags = Object.keys(languages) as readonly Language[];

const key = 'headcount.language';

let spoken: Language = 'en';

/** Of numbers and dates; undefined: that of the browser. */
let locale: string | undefined;

export const currentLanguage = (): Language => spoken;

/** What was chosen in this browser before, or the first of its languages that there is; English where there is none. */
export const preferredLanguage = (): Language => readChoice() ?? firstOfBrowser() ?? 'en';

function readChoice(): Language | undefined {
  try {
    const stored = localStorage.getItem(key);
    return languageTags.find((language) => language === stored);
  } catch {
    return undefined;
  }
}

/** Storage may be forbidden; then the choice lasts until the page is closed. */
export function rememberLanguage(language: Language): void {
  try {
    localStorage.setItem(key, language);
  } catch {
    // As said.
  }
}

const speaks = (language: Language) => (tag: string) => tag.split('-')[0]?.toLowerCase() === language;

function firstOfBrowser(): Language | undefined {
  return navigator.languages.flatMap((tag) => languageTags.filter((language) => speaks(language)(tag))).at(0);
}

/** All that is written from now on is in it, numbers and days too. */
export function setLanguage(language: Language): void {
  spoken = language;
  locale = localeOf(language);
  document.documentElement.lang = language;
  document.documentElement.dir = languages[language].direction;
}

/** The language as it is spoken where the browser is; undefined: the browser's own, of which there are no texts. */
function localeOf(language: Language): string | undefined {
  const variant = navigator.languages.find(speaks(language));
  // The digits and the calendar of the paths, dates and code that stand beside them.
  if (language === 'ar') return `${variant?.split('-u-')[0] ?? language}-u-ca-gregory-nu-latn`;
  return variant ?? ((firstOfBrowser() ?? readChoice()) ? language : undefined);
}

/** Of what is written in the language of the texts, whatever language the browser has. */
export const localeOfTexts = (): string => (spoken === 'en' ? spoken : (locale ?? spoken));

/** What takes long to make, such as a format of numbers: once for each language, and only if it is needed. */
export function byLanguage<Made>(make: (locale: string | undefined) => Made): () => Made {
  const made = new Map<string | undefined, Made>();
  return () => {
    const known = made.get(locale) ?? make(locale);
    made.set(locale, known);
    return known;
  };
}
