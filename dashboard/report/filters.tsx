import type { ComponentChildren } from 'preact';
import { type Filter, type FilterName, filterNames } from '../../shared/reports/pairs.ts';
import { Icon } from '../components/icon.tsx';
import { readable, readablePath, shorten } from '../formats/text.ts';
import { Link, useRouter } from '../router/router.tsx';
import { fill } from '../texts/part.ts';
import { t } from '../texts/report.ts';
import { shown } from './traits.tsx';

/** What the numbers are limited to, each with a link that removes the limit. */
export function Filters({ filter }: { filter: Filter }) {
  const { hrefWith } = useRouter();
  const given = filterNames.filter((name) => filter[name] !== undefined);
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
          <Link href={hrefWith({ ...Object.fromEntries(given.map((name) => [name, null])), page: null })}>
            {t.removeAll}
          </Link>
        </li>
      )}
    </ul>
  );
}

function kindOf(name: FilterName): string {
  if (name === 'path') return t.page;
  return name === 'client' ? t.aiClient : t.traits[name].head;
}

function labelOf(name: FilterName, value: string): ComponentChildren {
  if (name === 'path') return <bdi dir="ltr">{shorten(readablePath(value), 80)}</bdi>;
  if (name === 'client') return <bdi>{shorten(readable(value), 80)}</bdi>;
  return <bdi>{shown[name].label(value)}</bdi>;
}
