import { useEffect, useMemo, useState } from 'preact/hooks';
import { combinedFilters, isWritten } from '../../shared/reports/combined.ts';
import { dimensions, fieldOf } from '../../shared/reports/dimensions.ts';
import { type Filter, type FilterName, filterNames } from '../../shared/reports/pairs.ts';
import { withQuery } from '../api/client.ts';
import { useApi } from '../api/resource.ts';
import { Dialog } from '../components/dialog.tsx';
import { Suggestions } from '../components/suggestions.tsx';
import { nameSource } from '../formats/names.ts';
import { readable, readablePath, shorten } from '../formats/text.ts';
import { Link, useRouter } from '../router/router.tsx';
import { t } from '../texts/more.ts';
import { fill, list, plural } from '../texts/part.ts';
import { t as report } from '../texts/report.ts';
import { namesIn, turned, without } from './filter.ts';
import { kindOf } from './filters.tsx';
import { labelOf } from './traits.tsx';
import type { View } from './view.ts';

/** Where values of a filter are: a report below the project's, and the field of its rows. */
function placeOf(name: FilterName): { route: string; field: string } {
  if (name === 'path') return { route: 'visitors', field: 'visitors' };
  if (name === 'client') return { route: 'ai-clients', field: 'clients' };
  const route = name === 'channel' ? 'channels' : dimensions[name].report;
  return { route, field: fieldOf(route) };
}

/** Those that may have more values than a report has rows, and that can be asked for by a part of them. */
const ofMany: readonly FilterName[] = ['path', 'source'];
const limit = 250;
const shownOfEach = 5;
const waitMs = 200;

function textOf(name: FilterName, value: string): string {
  if (name === 'path') return shorten(readablePath(value), 80);
  if (name === 'source' || name === 'client') return shorten(readable(nameSource(value)), 80);
  return shorten(String(labelOf(name)(value)), 80);
}

type Values = Partial<Record<FilterName, readonly string[]>>;

/** The values of all filters in the days that are shown, and those that a text finds among very many. */
function useValues({ base, request: { dateFrom, dateTo } }: Pick<View, 'base' | 'request'>, text: string) {
  const { api } = useApi();
  const [all, setAll] = useState<Values>({});
  const [found, setFound] = useState<Values>({});
  const read = async (name: FilterName, search: string, signal: AbortSignal) => {
    const { route, field } = placeOf(name);
    const path = withQuery(`${base}/${route}`, { dateFrom, dateTo, search, limit });
    const reply = await api.get<Record<string, Record<string, string>[]>>(path, signal);
    return [...new Set((reply[field] ?? []).map((row) => row[name] ?? ''))];
  };
  const readInto = (names: readonly FilterName[], search: string, set: typeof setAll) => {
    const stop = new AbortController();
    for (const name of names)
      read(name, search, stop.signal).then(
        (values) => set((before) => ({ ...before, [name]: values })),
        // Others are suggested all the same.
        () => undefined,
      );
    return () => stop.abort();
  };
  useEffect(() => readInto(filterNames, '', setAll), [base, dateFrom, dateTo]);
  useEffect(() => {
    setFound({});
    if (text.length < 2) return;
    let stop = () => {};
    const timer = setTimeout(() => {
      stop = readInto(ofMany, text, setFound);
    }, waitMs);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [base, dateFrom, dateTo, text]);
  return { all, found };
}

interface Found {
  by: FilterName;
  /** As a filter is written, without what turns it into its opposite. */
  written: string;
  label: string;
}

/** By filter: those with the text in a value, or all values of a filter whose name begins with it. */
function suggest({ all, found }: ReturnType<typeof useValues>, text: string): Found[][] {
  const plain = (one: string) => one.toLocaleLowerCase();
  const wanted = plain(text);
  const has = (one: string) => plain(one).includes(wanted);
  const values = filterNames.map((by) => {
    const isNamed = plain(kindOf(by)).startsWith(wanted);
    return [...new Set([...(all[by] ?? []), ...(found[by] ?? [])])]
      .filter((value) => value !== '(other)' && isWritten(by, value))
      .map((written): Found => ({ by, written, label: textOf(by, written) }))
      .filter(({ written, label }) => isNamed || has(label) || has(written))
      .slice(0, shownOfEach);
  });
  const label = fill(t.containsText, { text });
  const parts = ofMany
    .filter((by) => text.length > 1 && !/[*|!]/.test(text) && (by === 'path' || !text.startsWith('/')))
    .map((by): Found[] => [{ by, written: `*${text}*`, label }]);
  return [...values, ...parts].filter((group) => group.length > 0);
}

interface AddFilterProps extends Pick<View, 'base' | 'request'> {
  onClose: () => void;
}

/** A filter by typing a part of it. */
export function AddFilter({ onClose, ...view }: AddFilterProps) {
  const { query, hrefWith, navigate } = useRouter();
  const [text, setText] = useState('');
  const [isNot, setNot] = useState(false);
  const values = useValues(view, text.trim());
  const groups = useMemo(() => suggest(values, text.trim()), [values.all, values.found, text]);
  const choose = ({ by, written }: Found) => {
    // City alone goes with no other, and is not turned.
    const isTurned = isNot && combinedFilters.includes(by);
    onClose();
    navigate(hrefWith(turned(query, by, isTurned ? `!${written}` : written)));
  };
  const toOption = (found: Found) => ({
    label: (
      <bdi dir={found.by === 'path' && !found.written.startsWith('*') ? 'ltr' : undefined}>{found.label}</bdi>
    ),
    choose: () => choose(found),
  });
  return (
    <Dialog title={t.addFilter} onClose={onClose}>
      <select
        aria-label={t.isOrIsNot}
        value={String(isNot)}
        onChange={({ currentTarget }) => setNot(currentTarget.value === 'true')}
      >
        <option value="false">{t.isThis}</option>
        <option value="true">{t.isNotThis}</option>
      </select>
      <Suggestions
        {...{ label: t.filterByTyping, hint: t.filterByTyping, text, onText: setText }}
        groups={groups.map((group) => ({
          name: kindOf(group[0]?.by ?? 'path'),
          options: group.map(toOption),
        }))}
        empty={t.nothingIsLikeThis}
      />
    </Dialog>
  );
}

/** Filters of the address that are not written as one can be. */
export function UnreadFilters({ names }: { names: FilterName[] }) {
  const { hrefWith } = useRouter();
  return (
    <p class="aside">
      {fill(t.filtersLeftOut, { names: list(names.map(kindOf)) })}{' '}
      <Link href={hrefWith(without(names))}>{report.removeAll}</Link>
    </p>
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
