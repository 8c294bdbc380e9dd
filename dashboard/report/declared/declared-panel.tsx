import { Fragment } from 'preact';
import type { Measured } from '../../../shared/reports/analytics.ts';
import { answers } from '../../../shared/reports/combined.ts';
import type { FilterName } from '../../../shared/reports/pairs.ts';
import type { CellKind, NumberCell } from '../../../shared/reports/report.ts';
import { Change, Unmeasured } from '../../components/count-cells.tsx';
import { codeOfCountry } from '../../formats/country-code.ts';
import { formatSpan } from '../../formats/day.ts';
import { isMissing } from '../../formats/measured.ts';
import { readable } from '../../formats/text.ts';
import { Link } from '../../router/router.tsx';
import { t } from '../../texts/declared.ts';
import { lookUp } from '../../texts/part.ts';
import { widthOf } from '../count-table.tsx';
import { FilterLink, PagePath } from '../filter-link.tsx';
import { type NamedRows, Panel } from '../panel.tsx';
import type { Part, View } from '../view.ts';
import { Action } from './action.tsx';
import { type CellValue, wordFor, writeCell } from './cell.tsx';
import { Chooser, useChoice } from './choice.tsx';
import { type ReportRule, rules, textsOf } from './declaration.ts';
import { besideOf, columnsOf, type Row, shownRows } from './rows.ts';

/** The declared reports of a page. */
export const declaredParts = (page: Page): Part[] =>
  rules
    .filter(({ pages }) => pages.includes(page))
    .map((rule) => ({
      name: rule.report,
      show: (view) => <DeclaredPanel rule={rule} {...view} />,
      isAnswered: (filter) => answers(rule, filter),
      isPublic: rule.isPublic,
    }));

type Page = ReportRule['pages'][number];

const nameOfColumn = (title: string) => lookUp(t.columns, title) ?? title;

function DeclaredPanel({ rule, request, base, projectId, isFirst }: View & { rule: ReportRule }) {
  const { report, route, field, hasSearch = true, isOfNow = false, across, isGathered = false } = rule;
  const { title, empty, note } = textsOf(rule);
  const { filter } = request;
  // The filter has chosen already.
  const choice = Object.hasOwn(filter, rule.choice?.parameter ?? '') ? undefined : rule.choice;
  const { chosen, hrefOf } = useChoice(report, choice);
  const rowsOf = (data: NamedRows) => shownRows(rule, (data[field] ?? []) as Row[]);
  const days = isOfNow ? { ...request, dateFrom: null, dateTo: null } : request;
  const isWhole = isGathered || across !== undefined;
  const ofChoice = choice && chosen !== null ? { ...choice.by?.query, [choice.parameter]: chosen } : {};
  const own = { ...rule.query, ...ofChoice };
  return (
    <Panel<NamedRows>
      title={title}
      name={report}
      request={{ ...days, own, address: `${base}/${route}` }}
      {...{ rowsOf, hasSearch, empty, isFirst }}
      of={rule.barOf === undefined ? 'ai' : rule.barOf === 'human' ? 'human' : undefined}
      choice={choice && <Chooser {...{ choice, chosen, hrefOf, base, days }} />}
      isChosen={chosen !== null}
      isComparable={(isWhole || rule.isCompared || rule.beside === undefined) && chosen === null}
      isWhole={isWhole}
      days={isOfNow ? t.asOfToday : undefined}
      isLazy
      note={note && <p class="panel-note">{note}</p>}
    >
      {(data, isOnPage) => (
        <Table
          rule={chosen !== null && choice?.by ? { ...rule, head: choice.by.head } : rule}
          rows={rowsOf(data).filter(isOnPage)}
          columns={columnsOf(rule, (data[field] ?? []) as Row[])}
          measured={data.measured}
          hrefOf={choice?.by && chosen === null ? hrefOf : undefined}
          {...{ base, projectId }}
        />
      )}
    </Panel>
  );
}

/** Of columns whose values are longer than numbers. */
const widths: Partial<Record<CellKind, string>> = { day: 'date', days: 'wide', ago: 'wide', bytes: 'wide' };

interface TableProps extends Pick<View, 'base' | 'projectId'> {
  rule: ReportRule;
  rows: Row[];
  /** Of a matrix. */
  columns: string[];
  measured: Measured | undefined;
  /** Where the name of a row leads, unless it is a page. */
  hrefOf: ((name: string) => string) | undefined;
}

function Table({ rule, rows, columns, ...rest }: TableProps) {
  const { head, bar, across } = rule;
  const numbers: readonly NumberCell[] =
    across === undefined
      ? rule.numbers.filter(({ field, isRare }) => !isRare || rows.some((row) => row[field] !== null))
      : columns.map((name) => ({ field: name, title: wordFor(name, across.as) ?? name, as: 'count' }));
  const most = Math.max(1, ...rows.map((row) => (bar ? Number(row[bar]) : 0)));
  return (
    <table
      class={`counts${numbers.length > 2 ? ' counts-many' : ''}${across || numbers.length > 3 ? ' counts-across' : ''}`}
    >
      <caption class="unseen">{textsOf(rule).title}</caption>
      <thead>
        <tr>
          <th scope="col">{nameOfColumn(head.title)}</th>
          {numbers.map(({ field, title, as }) => (
            <th key={field} scope="col" class={widths[as] ?? widthOf(nameOfColumn(title))}>
              {nameOfColumn(title)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <TableRow key={index} {...{ rule: { ...rule, numbers }, row, most, ...rest }} />
        ))}
      </tbody>
    </table>
  );
}

/** Of clients and the like beside one name. */
const mostBeside = 5;

const barOfKind: Readonly<Record<string, string>> = { people: 'human', ai: 'ai', dropped: 'dropped' };

function TableRow({
  rule,
  row,
  most,
  measured,
  hrefOf,
  base,
  projectId,
}: Omit<TableProps, 'rows' | 'columns'> & { row: Row; most: number }) {
  const { head, beside = [], numbers, bar, barOf = 'ai', action } = rule;
  const names = [head, ...(rule.isCompared ? beside : [])].map(({ field }) => field);
  return (
    <tr>
      <th scope="row">
        <Head value={row[head.field]} as={head.as} hrefOf={hrefOf} />{' '}
        <span class="beside">
          {beside
            .filter(({ field }) => row[field] !== null)
            .map(({ field, as }, index) => (
              <span key={field}>
                {index > 0 && ' · '}
                {as === 'span'
                  ? formatSpan(String(row[field]), String(row.to))
                  : besideOf(row, field)
                      .slice(0, mostBeside)
                      .map((value, place) => (
                        <Fragment key={place}>
                          {place > 0 && t.comma}
                          <Name value={value} as={as} />
                        </Fragment>
                      ))}
                {besideOf(row, field).length > mostBeside && ` +${besideOf(row, field).length - mostBeside}`}
              </span>
            ))}
        </span>
        {action && projectId !== null && <Action {...{ action, row, base }} />}
        {bar && (
          <span class="bar" aria-hidden="true">
            <span
              class={`bar-${barOf === 'kind' ? barOfKind[String(row.kind)] : barOf}`}
              style={{ width: `${(100 * Number(row[bar])) / most}%` }}
            />
          </span>
        )}
      </th>
      {numbers.map(({ field, as, of }) => (
        <td key={field}>
          {of && isMissing(of, Number(row[field]), measured) ? <Unmeasured /> : writeCell(row[field], as)}
          {as === 'count' && <Change row={row} by={names} of={field} />}
        </td>
      ))}
    </tr>
  );
}

/** What a row is of; what can be chosen leads to what is known of it alone. */
function Head({ value, as, hrefOf }: { value: CellValue; as: CellKind } & Pick<TableProps, 'hrefOf'>) {
  if (filterOf(value, as)) return <Name value={value} as={as} />;
  if (!hrefOf && as === 'text' && String(value).length > lineLength) return <Long text={String(value)} />;
  const text = writeCell(value, as);
  if (!hrefOf) return <span class="name">{text}</span>;
  return (
    <Link class="name" href={hrefOf(String(value))}>
      {text}
    </Link>
  );
}

const lineLength = 80;

/** Its beginning, until it is opened. */
const Long = ({ text }: { text: string }) => (
  <details class="long-text">
    <summary class="name" dir="auto">
      {readable(text)}
    </summary>
  </details>
);

const filterBy: Partial<Record<CellKind, FilterName>> = {
  ...{ page: 'path', client: 'client', source: 'source', country: 'country', device: 'device' },
};

/** What limits other reports to the same; undefined: nothing does. */
function filterOf(value: CellValue, as: CellKind): { by: FilterName; name: string } | undefined {
  const by = filterBy[as];
  const name = as === 'country' ? codeOfCountry(String(value)) : value;
  return by && name ? { by, name: String(name) } : undefined;
}

/** A page, an AI client, a source and the like lead to all numbers of it. */
function Name({ value, as }: { value: CellValue; as: CellKind }) {
  const filter = filterOf(value, as);
  if (!filter) return writeCell(value, as);
  const { by, name } = filter;
  if (by === 'path') return <PagePath path={name} />;
  return (
    <FilterLink by={by} value={name}>
      {writeCell(value, as)}
    </FilterLink>
  );
}
