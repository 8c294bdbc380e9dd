import type { Choice } from '../../../shared/reports/report.ts';
import { withQuery } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { nameOperator } from '../../formats/names.ts';
import { useRouter } from '../../router/router.tsx';
import { t } from '../../texts/declared.ts';
import { byLanguage } from '../../texts/language.ts';
import type { NamedRows, ReportRequest } from '../panel.tsx';
import type { ReportRule } from './declaration.ts';

/** Of a report that can be of one thing: what is chosen, and the address with another choice. */
export function useChoice(report: ReportRule['report'], choice: Choice | undefined) {
  const { query, hrefWith } = useRouter();
  const key = `${report}.${choice?.parameter}`;
  return {
    chosen: (choice && query.get(key)) || null,
    hrefOf: (name: string | null) => hrefWith({ [key]: name, [`${report}.page`]: null }),
  };
}

interface ChooserProps {
  choice: Choice;
  chosen: string | null;
  hrefOf: (name: string | null) => string;
  base: string;
  days: Omit<ReportRequest, 'address'>;
}

/** More than any catalogue has. */
const limit = 250;

/** A list of what a report can be of, in alphabetical order. */
export function Chooser({ choice, chosen, hrefOf, base, days }: ChooserProps) {
  const { navigate } = useRouter();
  const { parameter, report, field, name } = choice;
  const { title, all } = t.choices[parameter as keyof typeof t.choices];
  const { dateFrom, dateTo } = days;
  const { data } = useResource<NamedRows>(withQuery(`${base}/${report}`, { dateFrom, dateTo, limit }));
  const rows = (data?.[field] ?? []) as Record<string, string>[];
  const names = new Set([...rows.map((row) => row[name] ?? ''), ...(chosen === null ? [] : [chosen])]);
  return (
    <select
      class="chooser"
      aria-label={title}
      value={chosen ?? ''}
      onChange={({ currentTarget: { value } }) => navigate(hrefOf(value || null))}
    >
      <option value="">{all}</option>
      {[...names].sort(byLetters().compare).map((option) => (
        <option key={option} value={option}>
          {choice.name === 'operator' ? nameOperator(option) : option}
        </option>
      ))}
    </select>
  );
}

const byLetters = byLanguage((locale) => new Intl.Collator(locale));
