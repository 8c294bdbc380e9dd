import type { ComponentChildren } from 'preact';
import { Logo } from './icon.tsx';
import { LanguageMenu } from './language-menu.tsx';
import { Page } from './page.tsx';
import { ThemeButton } from './theme.tsx';

/** A page outside of all projects. */
export function Standalone({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="standalone-page">
      <header class="standalone-brand">
        <Logo />
        <span>Headcount</span>
        <span class="stretch" />
        <LanguageMenu />
        <ThemeButton />
      </header>
      <Page title={title} class="standalone">
        {children}
      </Page>
    </div>
  );
}
