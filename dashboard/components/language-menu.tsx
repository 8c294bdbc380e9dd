import { useState } from 'preact/hooks';
import { t } from '../texts/common.ts';
import {
  currentLanguage,
  type Language,
  languages,
  languageTags,
  rememberLanguage,
} from '../texts/language.ts';
import { speak } from '../texts/loading.ts';
import { Icon } from './icon.tsx';

/** Called after another language was chosen: everything is drawn again. */
export const languageChosen = 'languagechosen';

export function LanguageMenu() {
  const [hasFailed, setFailed] = useState(false);
  const choose = async (language: Language) => {
    try {
      await speak(language);
    } catch {
      return setFailed(true);
    }
    rememberLanguage(language);
    dispatchEvent(new Event(languageChosen));
  };
  return (
    <span class="button quiet icon-button languages">
      <Icon name="globe" />
      <select
        id="language"
        aria-label={t.language}
        title={t.language}
        value={currentLanguage()}
        onChange={({ currentTarget }) => choose(currentTarget.value as Language)}
      >
        {languageTags.map((tag) => (
          <option key={tag} value={tag} lang={tag} dir={languages[tag].direction}>
            {languages[tag].name}
          </option>
        ))}
      </select>
      {hasFailed && (
        <span class="unseen" role="alert">
          {t.thisLanguageCouldNotBeLoaded}
        </span>
      )}
    </span>
  );
}
