import type { ComponentChildren } from 'preact';
import type { FilterName } from '../../shared/reports/pairs.ts';
import { Link, useRouter } from '../router/router.tsx';
import { keepInPlace } from './in-place.ts';

interface FilterLinkProps {
  by: FilterName;
  value: string;
  children: ComponentChildren;
}

/** A row's name, which limits all numbers to it, and once it does takes the limit away. */
export function FilterLink({ by, value, children }: FilterLinkProps) {
  const { query, hrefWith } = useRouter();
  // What the cap of a day has put together is no name of its own.
  if (value === '(other)') return <span class="name">{children}</span>;
  const isChosen = query.get(by) === value;
  return (
    <Link
      class="name"
      href={hrefWith({ [by]: isChosen ? null : value, page: null })}
      aria-current={isChosen ? 'true' : undefined}
      onFollow={keepInPlace}
    >
      {children}
    </Link>
  );
}
