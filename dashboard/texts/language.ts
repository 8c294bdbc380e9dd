/** The languages that the dashboard speaks, each by the name that it gives itself. */
export const languages = {
  en: { name: 'English', direction: 'ltr' },
} as const satisfies Record<string, { name: string; direction: string }>;

export type Language = keyof typeof languages;

let spoken: Language = 'en';

/** Of numbers and dates; undefined: that of the browser. */
let locale: string | undefined;

export const currentLanguage = (): Language => spoken;

/** All that is written from now on is in it. */
export function setLanguage(language: Language, itsLocale: string | undefined): void {
  spoken = language;
  locale = itsLocale;
}

/** Of what is written in the language of the texts, whatever language the browser has. */
export const localeOfTexts = (): string => (locale?.split('-')[0] === spoken ? locale : spoken);

/** What takes long to make, such as a format of numbers: once for each language, and only if it is needed. */
export function byLanguage<Made>(make: (locale: string | undefined) => Made): () => Made {
  const made = new Map<Language, Made>();
  return () => {
    const known = made.get(spoken) ?? make(locale);
    made.set(spoken, known);
    return known;
  };
}
