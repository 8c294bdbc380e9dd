import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { filterNames } from '../../shared/reports/pairs.ts';
import { moreRangeKeys, type RangeKey } from '../../shared/reports/ranges.ts';
import { sizes } from '../chart/bins.ts';
import { Dialog } from '../components/dialog.tsx';
import { TextField } from '../components/form/field.tsx';
import { submit } from '../components/form/form.tsx';
import { Icon } from '../components/icon.tsx';
import { addDays, countDays, formatDay } from '../formats/day.ts';
import {
  addMonths,
  parseDays,
  type Range,
  rangeBefore,
  rangesAt,
  readComparison,
  standardRange,
} from '../formats/range.ts';
import { Link, useRouter } from '../router/router.tsx';
import { t as common } from '../texts/common.ts';
import { t } from '../texts/more.ts';
import { t as report } from '../texts/report.ts';

interface CustomRangeProps {
  range: Range;
  today: string;
  onClose: () => void;
}

/** Ranges that are not in the row, and any days. */
export function CustomRange({ range, today, onClose }: CustomRangeProps) {
  const { navigate, hrefWith } = useRouter();
  const first = range.from ?? addDays(today, -29);
  return (
    <Dialog title={t.chooseDays} onClose={onClose}>
      <nav class="choices" aria-label={t.moreRanges}>
        {moreRangeKeys.map((key) => (
          <Link
            key={key}
            class="button small"
            href={hrefWith({ range: key, page: null })}
            aria-current={range.key === key ? 'true' : undefined}
            onFollow={onClose}
          >
            {t.ranges[key]}
          </Link>
        ))}
      </nav>
      <DaysForm
        days={{ first, last: addDays(range.to, -1) }}
        max={today}
        label={t.showTheseDays}
        onChoose={(days) => {
          onClose();
          navigate(hrefWith({ range: days, page: null }));
        }}
      />
    </Dialog>
  );
}

/** Any days to compare a range with: those that were chosen before, else as many just before it. */
export function OwnDays({ range, today, onClose }: CustomRangeProps) {
  const { query, navigate, hrefWith } = useRouter();
  const { from, to } = parseDays(query.get('compare')) ?? rangeBefore(range) ?? range;
  return (
    <Dialog title={report.compareWith} onClose={onClose}>
      <DaysForm
        days={{ first: from ?? to, last: addDays(to, -1) }}
        max={today}
        label={t.compareWithThese}
        onChoose={(days) => {
          onClose();
          navigate(hrefWith({ compare: days }));
        }}
      />
    </Dialog>
  );
}

interface DaysFormProps {
  days: { first: string; last: string };
  max: string;
  label: string;
  /** With days as they stand in the address. */
  onChoose: (days: string) => void;
}

/** The first days of the last twelve that are over. */
const monthsBefore = (day: string) => Array.from({ length: 12 }, (_, index) => addMonths(day, -1 - index));

function DaysForm({ days, max, label, onChoose }: DaysFormProps) {
  const [from, setFrom] = useState(days.first);
  const [to, setTo] = useState(days.last);
  const isBackward = from > to;
  return (
    <form class="form" onSubmit={submit(() => isBackward || onChoose(`${from}..${to}`))}>
      <fieldset>
        <legend>{t.months}</legend>
        <div class="choices">
          {monthsBefore(max).map((month) => (
            <button
              key={month}
              type="button"
              class="small"
              onClick={() => onChoose(`${month}..${addDays(addMonths(month, 1), -1)}`)}
            >
              {formatDay(month, 'shortMonth')}
            </button>
          ))}
        </div>
      </fieldset>
      <div class="side-by-side">
        <TextField
          label={t.firstDay}
          type="date"
          name="from"
          value={from}
          onText={setFrom}
          required
          max={max}
        />
        <TextField
          label={t.lastDay}
          type="date"
          name="to"
          value={to}
          onText={setTo}
          required
          max={max}
          fault={isBackward ? t.theLastDayIsBeforeTheFirst : undefined}
        />
      </div>
      <div class="actions">
        <button type="submit" class="primary">
          {label}
        </button>
      </div>
    </form>
  );
}

const rangesByKey = {
  ...{ d: 'today', e: 'yesterday', h: '2d', w: '7d', f: '28d', t: '30d', n: '90d', m: 'month' },
  ...{ p: 'last-month', y: 'ytd', l: 'year', a: 'all' },
} as const satisfies Record<string, RangeKey>;

const isRangeKey = (key: string): key is keyof typeof rangesByKey => Object.hasOwn(rangesByKey, key);

/** What is pressed: a letter also where the keyboard writes others than Latin ones. */
function keyOf({ key, code }: KeyboardEvent): string {
  if (key === '؟') return '?';
  const isOtherLetter = /^\p{L}$/u.test(key) && !/^[a-z]$/i.test(key);
  return isOtherLetter && /^Key/.test(code) ? code.slice(3).toLowerCase() : key.toLowerCase();
}

/** The key of the period before or after: of months by months, else of as many days. Null: there is none, or it has not begun. */
function rangeBeside({ key, from, to }: Range, today: string, by: 1 | -1): string | null {
  if (from === null || (by > 0 && to > today)) return null;
  const end = key === 'month' ? addMonths(from, 1) : key === 'ytd' ? addMonths(from, 12) : to;
  const months = +end.slice(0, 4) * 12 + +end.slice(5, 7) - +from.slice(0, 4) * 12 - +from.slice(5, 7);
  const isOfMonths = /^[mly]|\.\./.test(key) && key !== 'year' && /01$/.test(from) && /01$/.test(end);
  const move = (day: string) =>
    isOfMonths ? addMonths(day, by * months) : addDays(day, by * countDays(from, to));
  const ranges = rangesAt(today);
  const [first, last] = [move(from), move(end)];
  const before = last > today ? addDays(today, 1) : last;
  const named = Object.entries(ranges).find(([, range]) => range.from === first && range.to === before);
  return named ? named[0] : `${first}..${addDays(before, -1)}`;
}

/** What the key that compares brings back. */
let lastCompared = 'before';

const storageKey = 'headcount.shortcuts';

/** Storage may be forbidden; then they are used. */
function areUsed(): boolean {
  try {
    return localStorage.getItem(storageKey) !== 'off';
  } catch {
    return true;
  }
}

function use(isOn: boolean): void {
  try {
    if (isOn) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, 'off');
  } catch {
    // As said.
  }
}

interface ShortcutsProps {
  /** Null: the page has none. */
  range: Range | null;
  today: string;
  /** What was pressed before they were loaded. */
  first?: KeyboardEvent;
}

/** What keys do, and the list of them. */
export function Shortcuts({ range, today, first }: ShortcutsProps) {
  const router = useRouter();
  const [isListed, setListed] = useState(false);
  const press = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    // A script presses for the button that shows the list.
    if (event.isTrusted && !areUsed()) return;
    if (document.querySelector('dialog[open]')) return;
    const key = keyOf(event);
    const field = (event.target as Element | null)?.closest?.('input,select,textarea,[contenteditable]');
    if (field) {
      if (key === 'escape' && field.matches('[type=search]')) clear(field as HTMLInputElement);
      return;
    }
    const act = actionOf(key);
    if (!act) return;
    event.preventDefault();
    act();
  };
  const actionOf = (key: string): (() => void) | undefined => {
    const { query, path, hrefWith, navigate } = router;
    const home = path.split('/', 3).join('/');
    if (key === '?' || key === 'shortcuts') return () => setListed(true);
    if (isRangeKey(key))
      return () => navigate(range ? hrefOf(rangesByKey[key]) : `${home}?range=${rangesByKey[key]}`);
    if (key === 'r') return () => navigate(`${home}/live`);
    if (key === '/') {
      const search = document.querySelector<HTMLElement>('main [type=search]');
      return search ? () => search.focus() : undefined;
    }
    if (range === null) return undefined;
    if (key === 'g')
      return () => document.querySelector<HTMLElement>('.report-top .panel-tools button')?.click();
    if (key === 'x') {
      const chosen = readComparison(query);
      if (chosen !== 'none') lastCompared = chosen;
      return () => navigate(hrefWith({ compare: chosen === 'none' ? lastCompared : null }));
    }
    if (key === 'i') {
      const all: readonly (string | null)[] = [null, ...sizes, null];
      const next = all[all.indexOf(query.get('interval')) + 1] ?? null;
      return () => navigate(hrefWith({ interval: next }));
    }
    if (key === 'escape' && filterNames.some((name) => query.has(name))) {
      return () => navigate(hrefWith(withoutFilters));
    }
    const isRtl = document.documentElement.dir === 'rtl';
    const steps = { previous: -1, next: 1, arrowleft: isRtl ? 1 : -1, arrowright: isRtl ? -1 : 1 } as const;
    const by = Object.hasOwn(steps, key) ? steps[key as keyof typeof steps] : undefined;
    const beside = by && rangeBeside(range, today, by);
    return beside ? () => navigate(hrefOf(beside)) : undefined;
  };
  const hrefOf = (key: string) => router.hrefWith({ range: key === standardRange ? null : key, page: null });
  const latest = useRef(press);
  latest.current = press;
  // At once: the next key may come before the page is painted.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => latest.current(event);
    if (first) onKey(first);
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return isListed ? <ShortcutList onClose={() => setListed(false)} /> : null;
}

const withoutFilters = { ...Object.fromEntries(filterNames.map((name) => [name, null])), page: null };

function clear(field: HTMLInputElement): void {
  if (field.value === '') field.blur();
  else {
    field.value = '';
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }
}

type KeyRow = readonly [key: ComponentChildren, name: string];

function ShortcutList({ onClose }: { onClose: () => void }) {
  const [isOn, setOn] = useState(areUsed);
  const choose = () => {
    use(!isOn);
    setOn(!isOn);
  };
  const ranges = Object.entries(rangesByKey).map(
    ([key, range]): KeyRow => [key.toUpperCase(), nameOf(range)],
  );
  const rows: KeyRow[] = [
    ...ranges,
    ['R', common.projectPages.live],
    [<Icon key="previous" name="previous" />, report.keys.previous],
    [<Icon key="next" name="next" />, report.keys.next],
    ['X', t.compare],
    ['I', report.interval],
    [t.controlK, common.goTo],
    ['G', t.addFilter],
    ['/', t.search],
    [t.escape, t.close],
    ['?', t.thisList],
  ];
  return (
    <Dialog title={report.keys.shortcuts} onClose={onClose}>
      <dl class="shortcuts">
        {rows.map(([key, name]) => (
          <div key={name}>
            <dt>
              <kbd class="tag">{key}</kbd>
            </dt>
            <dd>{name}</dd>
          </div>
        ))}
      </dl>
      <label>
        <input type="checkbox" checked={isOn} onChange={choose} />
        {t.useThem}
      </label>
    </Dialog>
  );
}

const nameOf = (range: RangeKey): string =>
  Object.hasOwn(t.ranges, range)
    ? t.ranges[range as keyof typeof t.ranges]
    : report.ranges[range as keyof typeof report.ranges];
