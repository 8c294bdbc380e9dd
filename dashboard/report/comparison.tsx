import { createContext } from 'preact';
import { useState } from 'preact/hooks';
import { lazy } from '../components/lazy.tsx';
import { describeRange, parseDays, type Range } from '../formats/range.ts';
import { useRouter } from '../router/router.tsx';
import { t } from '../texts/report.ts';

const OwnDays = lazy(async () => (await import('./habits.tsx')).OwnDays, null);

/** In the project's zone. */
export const Today = createContext('');

/** Chooses what the chart is compared with, and how many days are a point. */
export function ChartChoices({ range, today }: { range: Range; today: string }) {
  const [isChoosing, setChoosing] = useState(false);
  const own = parseDays(useRouter().query.get('compare'));
  const options = { ...t.comparisons, ...(own && { [own.key]: describeRange(own) }), own: t.ownDays };
  return (
    <>
      <Choice name="interval" label={t.interval} options={t.intervals} standard="auto" />
      {range.from !== null && (
        <Choice
          name="compare"
          label={t.compareWith}
          options={options}
          standard="none"
          onOwn={() => setChoosing(true)}
        />
      )}
      {isChoosing && <OwnDays range={range} today={today} onClose={() => setChoosing(false)} />}
    </>
  );
}

interface ChoiceProps {
  /** Of its parameter in the address. */
  name: string;
  label: string;
  options: Readonly<Record<string, string>>;
  standard: string;
  /** `own` was chosen. */
  onOwn?: () => void;
}

function Choice({ name, label, options, standard, onOwn }: ChoiceProps) {
  const { query, navigate, hrefWith } = useRouter();
  const given = query.get(name) ?? '';
  return (
    <select
      class="compare"
      aria-label={label}
      value={Object.hasOwn(options, given) ? given : standard}
      onChange={({ currentTarget: { value } }) =>
        value === 'own' ? onOwn?.() : navigate(hrefWith({ [name]: value === standard ? null : value }))
      }
    >
      {Object.entries(options).map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}
