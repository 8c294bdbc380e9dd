import { type Language, setLanguage } from './language.ts';
import { setTranslation } from './part.ts';

/** Each is loaded once somebody speaks it. */
const translations = {
  en: async () => ({}),
  de: async () => (await import('./de.json', { with: { type: 'json' } })).default,
  ar: async () => (await import('./ar.json', { with: { type: 'json' } })).default,
} satisfies Record<Language, () => Promise<object>>;

/** Changes to a language. Where it cannot be loaded, all stays as it is, and the promise fails. */
export async function speak(language: Language): Promise<void> {
  setTranslation(await translations[language]());
  setLanguage(language);
}
