import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { usePlace } from '../router/router.tsx';

interface ViewProps {
  title: string;
  /** Beside the title. */
  aside?: ComponentChildren;
  /** Above the title. */
  above?: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}

/** A page. Coming to it from another one names it to the browser, and to who listens instead of looking. */
export function View({ title, aside, above, class: name = '', children }: ViewProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { hasMoved } = usePlace();
  // Before it is painted: whoever sees the heading is there already.
  useLayoutEffect(() => {
    document.title = `${title} · Headcount`;
  }, [title]);
  // Only when the view appears.
  useLayoutEffect(() => {
    if (hasMoved) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <main id="main" class={`view ${name}`}>
      <div class="view-head">
        {above && <p class="crumbs">{above}</p>}
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {aside}
      </div>
      {children}
    </main>
  );
}
