import type { ComponentChildren } from 'preact';
import type { Count, Measured } from '../../shared/reports/analytics.ts';
import { CountCells, columns, Unmeasured } from '../components/count-cells.tsx';
import { Mark } from '../components/icon.tsx';
import { isUnmeasured } from '../formats/measured.ts';
import { formatShare } from '../formats/number.ts';
import { useRouter } from '../router/router.tsx';
import { t } from '../texts/report.ts';

interface NamedCount extends Count {
  name: string;
}

interface CountTableProps {
  /** What the rows are of. */
  head: string;
  title: string;
  rows: NamedCount[];
  label: (name: string) => ComponentChildren;
  /** The order that the rows have, where another one can be asked for. */
  sort?: string;
  hasShare?: boolean;
  /** What could be counted; undefined: not known yet. */
  measured: Measured | undefined;
}

/** Rows with a bar each: solid for people, hatched for AI. */
export function CountTable({ head, title, rows, label, sort, hasShare = false, measured }: CountTableProps) {
  const most = Math.max(1, ...rows.map(({ human, ai }) => human + ai));
  return (
    <table class={`counts ${hasShare ? 'counts-share' : ''}`}>
      <caption class="unseen">{title}</caption>
      <thead>
        <tr>
          <th scope="col">{head}</th>
          {columns.map((key) => (
            <Head key={key} order={key} name={t.columns[key]} sort={sort} />
          ))}
          {hasShare && <Head order="aiShare" name={t.aiShare} sort={sort} isShare />}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.name}>
            <th scope="row">
              {label(row.name)}
              <Bar human={row.human} ai={row.ai} most={most} />
            </th>
            <CountCells count={row} measured={measured} />
            {hasShare && (
              <td class="share">
                {isUnmeasured('total', measured) ? <Unmeasured /> : formatShare(row.ai, row.human + row.ai)}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface HeadProps {
  order: string;
  name: string;
  sort: string | undefined;
  isShare?: boolean;
}

/** The head of a column that rows can be sorted by: of numbers the largest first, of names the first. */
export function Head({ order, name, sort, isShare = false }: HeadProps) {
  const { navigate, hrefWith } = useRouter();
  const kind = order === 'human' || order === 'ai' ? order : null;
  const text = (
    <>
      {kind && <Mark kind={kind} />} {name}
    </>
  );
  const width = isShare ? 'share' : widthOf(order === 'name' ? '' : name);
  if (sort === undefined) {
    return (
      <th scope="col" class={width}>
        {text}
      </th>
    );
  }
  const direction = order === 'name' ? 'ascending' : 'descending';
  const choose = () => navigate(hrefWith({ sort: order === 'total' ? null : order, page: null }));
  return (
    <th scope="col" class={width} aria-sort={sort === order ? direction : undefined}>
      <button type="button" class="sort" onClick={choose}>
        {text}
      </button>
    </th>
  );
}

/** Of a column of numbers, whose name may be longer than they are. */
export const widthOf = (name: string): string | undefined => (name.length > 7 ? 'long' : undefined);

interface NumberTableProps {
  title: string;
  heads: readonly string[];
  /** The rows. */
  children: ComponentChildren;
}

/** Names with numbers, in the order that they come in. */
export function NumberTable({ title, heads, children }: NumberTableProps) {
  return (
    <table class="counts">
      <caption class="unseen">{title}</caption>
      <thead>
        <tr>
          {heads.map((head, index) => (
            <th key={head} scope="col" class={index > 0 ? widthOf(head) : undefined}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

export function Bar({ human, ai, most }: { human: number; ai: number; most: number }) {
  const percent = (count: number) => `${(100 * count) / most}%`;
  return (
    <span class="bar" aria-hidden="true">
      <span class="bar-human" style={{ width: percent(human) }} />
      <span class="bar-ai" style={{ width: percent(ai) }} />
    </span>
  );
}
