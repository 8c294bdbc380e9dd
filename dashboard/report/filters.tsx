import type { ComponentChildren } from 'preact';
import { isSeveral, readValues } from '../../shared/reports/combined.ts';
import type { Filter, FilterName } from '../../shared/reports/pairs.ts';
import { Icon } from '../components/icon.tsx';
import { readable, readablePath, shorten } from '../formats/text.ts';
import { Link, useRouter } from '../router/router.tsx';
import { eitherOf, fill, mix } from '../texts/part.ts';
import { t } from '../texts/report.ts';
import { isAnswered, namesIn, without } from './filter.ts';
import { labelOf as labelOfTrait } from './traits.tsx';

/** What the numbers are limited to, each with a link that turns it into its opposite and one that removes it. */
export function Filters({ filter }: { filter: Filter }) {
  const { hrefWith } = useRouter();
  const given = namesIn(filter);
  if (given.length === 0) return null;
  return (
    <ul class="filters" aria-label={t.filters}>
      {given.map((name) => (
        <li key={name} class="filter">
          <span>
            {kindOf(name)} {labelOf(name, filter[name] ?? '')}
          </span>
          <Opposite name={name} filter={filter} />
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

/** None of the values in place of one of them, or the other way round, where there are numbers of these. */
function Opposite({ name, filter }: { name: FilterName; filter: Filter }) {
  const { hrefWith } = useRouter();
  const { [name]: written = '' } = filter;
  const isNot = written.startsWith('!');
  const opposite = isNot ? written.slice(1) : `!${written}`;
  if (!isAnswered(null, { ...filter, [name]: opposite })) return null;
  const label = fill(isNot ? t.onlyThese : t.allButThese, { name: kindOf(name) });
  return (
    <Link href={hrefWith({ [name]: opposite, page: null })} aria-label={label}>
      <Icon name="not" />
    </Link>
  );
}

export function kindOf(name: FilterName): string {
  if (name === 'path') return t.page;
  return name === 'client' ? t.aiClient : t.traits[name].head;
}

function labelOf(name: FilterName, written: string): ComponentChildren {
  if (!isSeveral(written)) return labelOfOne(name, written);
  const { isNot, how, values } = readValues(written);
  const isPart = how === 'contains';
  const labels = values.map((value) =>
    isPart ? <bdi>{shorten(readable(value), 80)}</bdi> : labelOfOne(name, value),
  );
  const not = isNot ? t.isNot : '{values}';
  return mix(isPart ? (isNot ? t.containsNot : t.contains) : not, { values: eitherOf(labels) });
}

function labelOfOne(name: FilterName, value: string): ComponentChildren {
  if (name === 'path') return <bdi dir="ltr">{shorten(readablePath(value), 80)}</bdi>;
  if (name === 'client') return <bdi>{shorten(readable(value), 80)}</bdi>;
  return <bdi>{labelOfTrait(name)(shorten(value, 80))}</bdi>;
}
