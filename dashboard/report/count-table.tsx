import type { ComponentChildren } from 'preact';
import type { BoundedCount, Measured } from '../../shared/reports/analytics.ts';
import { CountCells, columns, Unmeasured } from '../components/count-cells.tsx';
import { Mark } from '../components/icon.tsx';
import { useRouter } from '../router/router.tsx';
import { t } from '../texts/report.ts';
import { PagePath } from './filter-link.tsx';

interface CountTableProps<Row> {
  title: string;
  rows: Row[];
  /** The order that the rows have, where another one can be asked for. */
  sort?: string;
  /** The last column. */
  share: { name: string; title?: string; of: (row: Row) => ComponentChildren };
  /** What could be counted; undefined: not known yet. */
  measured: Measured | undefined;
}

/** Pages with a bar each: solid for people, hatched for AI. */
export function CountTable<Row extends BoundedCount & { path: string }>(props: CountTableProps<Row>) {
  const { title, rows, sort, share, measured } = props;
  const most = mostOf(rows);
  return (
    <table class="counts counts-share">
      <caption class="unseen">{title}</caption>
      <thead>
        <tr>
          <th scope="col">{t.page}</th>
          {columns.map((key) => (
            <Head key={key} order={key} name={t.columns[key]} sort={sort} />
          ))}
          <Head order="aiShare" name={share.name} title={share.title} sort={sort} isShare />
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.path}>
            <th scope="row">
              <PagePath path={row.path} />
              <Bar human={row.human} ai={row.ai} most={most} />
            </th>
            <CountCells count={row} by="path" measured={measured} />
            <td class="share">{share.of(row)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface HeadProps {
  order: string;
  name: string;
  title?: string | undefined;
  sort: string | undefined;
  isShare?: boolean;
}

/** The head of a column that rows can be sorted by: of numbers the largest first, of names the first. */
export function Head({ order, name, title, sort, isShare = false }: HeadProps) {
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
      <th scope="col" class={width} title={title}>
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
export const widthOf = (name: string): string | undefined =>
  name.length > 10 ? 'long longer' : name.length > 7 ? 'long' : undefined;

type Drawn = Pick<BoundedCount, 'human' | 'ai'>;

const mostOf = (rows: readonly Drawn[]) =>
  Math.max(1, ...rows.map(({ human, ai }) => (human ?? 0) + (ai ?? 0)));

interface NumberRow {
  name: ComponentChildren;
  /** What the bar is drawn by. */
  bar: Drawn;
  /** Null: it was not measured. */
  numbers: readonly ComponentChildren[];
}

interface NumberTableProps {
  title: string;
  heads: readonly string[];
  rows: readonly NumberRow[];
  /** On a phone names stand above their numbers; its style is not there on the overview. */
  isAcross?: boolean;
}

/** Names with numbers, in the order that they come in. */
export function NumberTable({ title, heads, rows, isAcross = false }: NumberTableProps) {
  const most = mostOf(rows.map(({ bar }) => bar));
  return (
    <table class={`counts${isAcross ? ' counts-across' : ''}`}>
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
      <tbody>
        {rows.map(({ name, bar, numbers }, index) => (
          <tr key={index}>
            <th scope="row">
              {name}
              <Bar {...bar} most={most} />
            </th>
            {numbers.map((number, column) => (
              <td key={column}>{number ?? <Unmeasured />}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Bar({ human, ai, most }: Drawn & { most: number }) {
  const percent = (count: number | null) => `${(100 * (count ?? 0)) / most}%`;
  return (
    <span class="bar" aria-hidden="true">
      <span class="bar-human" style={{ width: percent(human) }} />
      <span class="bar-ai" style={{ width: percent(ai) }} />
    </span>
  );
}
