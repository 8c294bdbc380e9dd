import type { ComponentChildren } from 'preact';
import { Logo } from './icon.tsx';
import { ThemeButton } from './theme.tsx';
import { View } from './view.tsx';

/** A page that stands outside of projects. */
export function Alone({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="alone-page">
      <header class="alone-brand">
        <Logo />
        <span>Headcount</span>
        <span class="stretch" />
        <ThemeButton />
      </header>
      <View title={title} class="alone">
        {children}
      </View>
    </div>
  );
}
