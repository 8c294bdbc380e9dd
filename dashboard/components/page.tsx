import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useRouter } from '../router/router.tsx';
import { t } from '../texts/common.ts';

interface PageProps {
  title: string;
  /** Beside the title. */
  aside?: ComponentChildren;
  /** Above the title. */
  above?: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}

/** A page. Coming to it from another one sets the browser's title and moves the focus to the heading. */
export function Page({ title, aside, above, class: name = '', children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { hasNavigated } = useRouter();
  // Before it is painted, so that the title is never behind the heading.
  useLayoutEffect(() => {
    document.title = `${title} · Headcount`;
  }, [title]);
  // Only when the page appears.
  useLayoutEffect(() => {
    if (hasNavigated) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <main id="main" class={`page ${name}`}>
      <div class="page-head">
        {above && <p class="crumbs">{above}</p>}
        <h1 ref={heading} tabIndex={-1}>
          <bdi>{title}</bdi>
        </h1>
        {aside}
      </div>
      {children}
    </main>
  );
}

export function SkipLink() {
  return (
    <a class="skip" href="#main">
      {t.skipToContent}
    </a>
  );
}
