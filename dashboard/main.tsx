import { render } from 'preact';
import { App } from './app.tsx';
import { languageChosen } from './components/language-menu.tsx';
import { restoreTheme } from './components/theme.tsx';
import { currentLanguage, preferredLanguage, setLanguage } from './texts/language.ts';
import { speak } from './texts/loading.ts';

/** Everything is made anew for another language, as no text that was written before may stay. */
const show = () => render(<App key={currentLanguage()} />, document.getElementById('app') as HTMLElement);

restoreTheme();
addEventListener(languageChosen, () => {
  show();
  document.getElementById('language')?.focus();
});
speak(preferredLanguage())
  .catch(() => setLanguage('en'))
  .then(show);
