import { useEffect, useState } from 'preact/hooks';
import { rangeKeys } from '../../shared/reports/ranges.ts';
import { Icon } from '../components/icon.tsx';
import { lazy } from '../components/lazy.tsx';
import { useIsNarrow } from '../components/narrow.ts';
import { describeRange, type Range, standardRange } from '../formats/range.ts';
import { Link, useRouter } from '../router/router.tsx';
import { t } from '../texts/report.ts';

const CustomRange = lazy(async () => (await import('./habits.tsx')).CustomRange, null);
const Shortcuts = lazy(async () => (await import('./habits.tsx')).Shortcuts, null);

interface RangePickerProps {
  range: Range;
  /** In the project's zone. */
  today: string;
}

/** The choice of days: links, so that each range has an address of its own. On a phone it is one list. */
export function RangePicker({ range, today }: RangePickerProps) {
  const { hrefWith, navigate } = useRouter();
  const [isChoosing, setChoosing] = useState(false);
  const isNarrow = useIsNarrow();
  const isCustom = !rangeKeys.some((key) => key === range.key);
  const hrefOf = (key: string) => hrefWith({ range: key === standardRange ? null : key, page: null });
  return (
    <div class="range">
      {isNarrow ? (
        <select
          class="compare"
          aria-label={t.timeRange}
          value={range.key}
          onChange={({ currentTarget: { value } }) => (value ? navigate(hrefOf(value)) : setChoosing(true))}
        >
          {isCustom && <option value={range.key}>{describeRange(range)}</option>}
          {rangeKeys.map((key) => (
            <option key={key} value={key}>
              {t.ranges[key]}
            </option>
          ))}
          <option value="">{t.custom}</option>
        </select>
      ) : (
        <nav class="segments" aria-label={t.timeRange}>
          {rangeKeys.map((key) => (
            <Link key={key} href={hrefOf(key)} aria-current={range.key === key ? 'true' : undefined}>
              {t.ranges[key]}
            </Link>
          ))}
          <button type="button" aria-pressed={isCustom} onClick={() => setChoosing(true)}>
            {t.custom}
          </button>
        </nav>
      )}
      <Keys range={range} today={today} />
      {isChoosing && <CustomRange range={range} today={today} onClose={() => setChoosing(false)} />}
    </div>
  );
}

/** The periods beside, and the list of keys; what keys do is loaded with the first that is pressed. */
function Keys(props: RangePickerProps) {
  const { range, today } = props;
  const [first, setFirst] = useState<KeyboardEvent>();
  useEffect(() => {
    if (first) return;
    addEventListener('keydown', setFirst);
    return () => removeEventListener('keydown', setFirst);
  }, [first]);
  const isDisabled = { previous: range.from === null, next: range.to > today || range.from === null };
  return (
    <div class="range-keys">
      {(['previous', 'next', 'shortcuts'] as const).map((key) => (
        <button
          key={key}
          type="button"
          class="quiet icon-button"
          disabled={key !== 'shortcuts' && isDisabled[key]}
          aria-label={t.keys[key]}
          title={t.keys[key]}
          onClick={() => dispatchEvent(new KeyboardEvent('keydown', { key }))}
        >
          {key === 'shortcuts' ? '?' : <Icon name={key} />}
        </button>
      ))}
      {first && <Shortcuts {...props} first={first} />}
    </div>
  );
}
