import type { ComponentChildren } from 'preact';
import type { Filter, FilterName } from '../../shared/reports/pairs.ts';
import { Icon } from '../components/icon.tsx';
import { readable, readablePath, shorten } from '../formats/text.ts';
import { Link, useRouter } from '../router/router.tsx';
import { fill, list, plural } from '../texts/part.ts';
import { t } from '../texts/report.ts';
import { keptOf, namesIn } from './filter.ts';
import { labelOf as labelOfDimension } from './traits.tsx';

/** What the numbers are limited to, each with a link that removes the limit. */
export function Filters({ filter }: { filter: Filter }) {
  const { hrefWith } = useRouter();
  const given = namesIn(filter);
  if (given.length === 0) return null;
  return (
    <ul class="filters" aria-label={t.filters}>
      {given.map((name) => (
        <li key={name} class="filter">
          {kindOf(name)} {labelOf(name, filter[name] ?? '')}
          <Link
            href={hrefWith({ [name]: null, page: null })}
            aria-label={fill(t.removeTheFilter, { name: kindOf(name) })}
          >
            <Icon name="close" />
          </Link>
        </li>
      ))}
      {given.length > 1 && (
        <li>
          <Link href={hrefWith(without(given))}>{t.removeAll}</Link>
        </li>
      )}
    </ul>
  );
}

/** Filters of which no sums are kept together, with links that keep some of them. */
export function NotCombined({ filter }: { filter: Filter }) {
  const { hrefWith } = useRouter();
  const given = namesIn(filter);
  return (
    <section class="panel" aria-label={t.filters}>
      <p class="empty">{t.cannotBeCombined}</p>
      <p class="choices">
        {t.keep}{' '}
        {keptOf(filter).map((kept) => (
          <Link
            key={kept.join()}
            class="button small"
            href={hrefWith(without(given.filter((name) => !kept.includes(name))))}
          >
            {list(kept.map(kindOf))}
          </Link>
        ))}
      </p>
    </section>
  );
}

/** How many reports a filter leaves out, and a link to them. */
export function LeftOut({ filter, count }: { filter: Filter; count: number }) {
  const { hrefWith } = useRouter();
  return (
    <p class="aside">
      {plural(t.moreReportsWithoutFilter, count)}{' '}
      <Link href={hrefWith(without(namesIn(filter)))}>{t.removeAllFilters}</Link>
    </p>
  );
}

/** Changes of the address that remove these filters. */
function without(names: readonly FilterName[]): Record<string, null> {
  return { ...Object.fromEntries(names.map((name) => [name, null])), page: null };
}

function kindOf(name: FilterName): string {
  if (name === 'path') return t.page;
  return name === 'client' ? t.aiClient : t.traits[name].head;
}

function labelOf(name: FilterName, value: string): ComponentChildren {
  if (name === 'path') return <bdi dir="ltr">{shorten(readablePath(value), 80)}</bdi>;
  if (name === 'client') return <bdi>{shorten(readable(value), 80)}</bdi>;
  return <bdi>{labelOfDimension(name)(value)}</bdi>;
}
