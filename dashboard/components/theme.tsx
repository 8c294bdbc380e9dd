import { useState } from 'preact/hooks';
import { t } from '../texts/common.ts';
import { fill } from '../texts/part.ts';
import { Icon } from './icon.tsx';

const key = 'headcount.theme';
const themes = ['auto', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

/** The theme chosen earlier in this browser. Storage may be forbidden; then the system decides. */
export function restoreTheme(): void {
  apply(read());
}

function read(): Theme {
  try {
    const stored = localStorage.getItem(key);
    return themes.find((theme) => theme === stored) ?? 'auto';
  } catch {
    return 'auto';
  }
}

function apply(theme: Theme): void {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  // Canvas drawings are drawn again in the new colours.
  dispatchEvent(new Event('themechange'));
}

export function ThemeButton() {
  const [theme, setTheme] = useState(read);
  const turn = () => {
    const next = themes[(themes.indexOf(theme) + 1) % themes.length] as Theme;
    setTheme(next);
    apply(next);
    try {
      localStorage.setItem(key, next);
    } catch {
      // The theme lasts until the page is closed.
    }
  };
  const label = fill(t.theme, { theme: t.themes[theme] });
  return (
    <button
      id="theme"
      type="button"
      class="quiet icon-button"
      onClick={turn}
      aria-label={label}
      title={label}
    >
      <Icon name={theme} />
    </button>
  );
}
