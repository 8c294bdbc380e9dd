import type { ComponentChildren } from 'preact';
import type { FilterName } from '../../shared/reports/pairs.ts';
import { nameTrait } from '../formats/names.ts';
import { readablePath, shorten } from '../formats/text.ts';
import { Link, useRouter } from '../router/router.tsx';
import { t } from '../texts/report.ts';
import { turned } from './filter.ts';

interface FilterLinkProps {
  by: FilterName;
  value: string;
  children: ComponentChildren;
}

/** A row's name, which limits all numbers to it as well, and once it does takes the limit away. */
export function FilterLink({ by, value, children }: FilterLinkProps) {
  const { query, hrefWith } = useRouter();
  // What the cap of a day has put together is no name of its own.
  if (value === '(other)') return <span class="name">{children}</span>;
  return (
    <Link
      class="name"
      href={hrefWith(turned(query, by, value))}
      aria-current={query.get(by) === value ? 'true' : undefined}
      onFollow={keepInPlace}
    >
      {children}
    </Link>
  );
}

export function PagePath({ path }: { path: string }) {
  const { query, hrefWith } = useRouter();
  if (path === '(other)') {
    return (
      <span class="name" title={t.pagesBeyondTheLimitOfNewOnes}>
        {nameTrait(path)}
      </span>
    );
  }
  return (
    <Link
      class="name path"
      href={hrefWith(turned(query, 'path', path))}
      aria-current={query.get('path') === path ? 'true' : undefined}
      onFollow={keepInPlace}
      title={shorten(path)}
    >
      <bdi dir="ltr">{shorten(readablePath(path))}</bdi>
    </Link>
  );
}

/** So long panels around it may come, go and change their size. */
const keptMs = 2_000;
const own = ['wheel', 'touchstart', 'keydown', 'pointerdown'];

/** Keeps a row that was chosen where it is in the window, whatever panels a filter takes away, until somebody scrolls. */
export function keepInPlace(link: Element): void {
  const panel = link.closest('[data-report]');
  const report = panel?.getAttribute('data-report');
  if (!panel || !report) return;
  const before = { row: topOf(link), panel: topOf(panel) };
  const stop = new AbortController();
  const keep = () => {
    if (stop.signal.aborted) return;
    const kept = document.querySelector(`[data-report="${CSS.escape(report)}"]`);
    const row = kept?.querySelector('tbody [aria-current]');
    if (row) move(topOf(row) - before.row);
    else if (kept) move(topOf(kept) - before.panel);
    requestAnimationFrame(keep);
  };
  for (const name of own) addEventListener(name, () => stop.abort(), { signal: stop.signal });
  setTimeout(() => stop.abort(), keptMs);
  bottom = Number.POSITIVE_INFINITY;
  keepHeight();
  addEventListener('scroll', keepHeight);
  requestAnimationFrame(keep);
}

let bottom: number;

function move(by: number): void {
  // Where the page ends too early for it.
  if (by > 0) setBottom(Math.max(bottom, scrollY + innerHeight + by));
  scrollBy(0, by);
}

/** A page that became shorter ends where the window does, until somebody scrolls up. */
function keepHeight(): void {
  setBottom(Math.min(bottom, scrollY + innerHeight));
}

function setBottom(to: number): void {
  bottom = to;
  document.body.style.minHeight = `${to}px`;
}

const topOf = (element: Element) => element.getBoundingClientRect().top;
