import type { ComponentChildren } from 'preact';
import type { Measured } from '../../../shared/reports/analytics.ts';
import { dimensionNames } from '../../../shared/reports/dimensions.ts';
import type { Filter, FilterName } from '../../../shared/reports/pairs.ts';
import type { CellKind } from '../../../shared/reports/report.ts';
import { Unmeasured } from '../../components/count-cells.tsx';
import { Switch } from '../../components/switch.tsx';
import { codeOfCountry } from '../../formats/country-code.ts';
import { formatSpan } from '../../formats/day.ts';
import { isMissing } from '../../formats/measured.ts';
import { Link, useRouter } from '../../router/router.tsx';
import { t } from '../../texts/declared.ts';
import { lookUp } from '../../texts/part.ts';
import { widthOf } from '../count-table.tsx';
import { isAnswered } from '../filter.ts';
import { FilterLink } from '../filter-link.tsx';
import { LeftOut } from '../filters.tsx';
import { pageKinds, pageKindsWith } from '../page-panels/page-kinds.tsx';
import { PagePath } from '../page-panels/page-path.tsx';
import { type NamedRows, Panel, type SitePanelProps } from '../panel.tsx';
import { Action } from './action.tsx';
import { type CellValue, writeCell } from './cell.tsx';
import { Chooser, useChoice } from './choice.tsx';
import { groups, honours, type ReportGroup, type ReportRule, textsOf } from './declaration.ts';

type Row = Record<string, CellValue>;

interface DeclaredProps extends SitePanelProps {
  request: SitePanelProps['request'] & { filter: Filter };
  projectId: string;
}

const groupNames = Object.keys(groups) as (keyof typeof groups)[];

/** Every group of reports that is declared, each in a panel that is read when somebody scrolls to it. */
export function DeclaredPanels(props: DeclaredProps) {
  return (
    <>
      {groupNames.map((name) => (
        <Group key={name} name={name} {...props} />
      ))}
    </>
  );
}

/** Goals, funnels, events, and what was not counted. */
const ofWholeSite = 4;

/** What a filter leaves out of all that a site's owner sees. */
export function LeftOutReports({ filter }: { filter: Filter }) {
  const rules = groupNames.flatMap((name): readonly ReportRule[] => groups[name].reports);
  const declared = rules.filter((rule) => !honours(rule, filter)).length;
  const rows = (['client', ...dimensionNames] as const).filter((by) => !isAnswered(by, filter)).length;
  const pages = pageKinds.length - pageKindsWith(filter).length;
  return <LeftOut filter={filter} count={ofWholeSite + declared + rows + pages} />;
}

/** One of its reports at a time. */
function Group({ name, ...props }: DeclaredProps & { name: keyof typeof groups }) {
  const { query, hrefWith } = useRouter();
  const { of, reports: all }: ReportGroup = groups[name];
  const reports = all.filter((rule) => honours(rule, props.request.filter));
  const title = t.panels[name];
  const [first] = reports;
  const chosen = reports.find(({ report }) => report === query.get(name)) ?? first;
  if (!chosen) return null;
  const tools = reports.length > 1 && (
    <Switch
      label={title}
      options={Object.fromEntries(reports.map((rule) => [rule.report, textsOf(rule).title]))}
      value={chosen.report}
      hrefOf={(report) => hrefWith({ [name]: report })}
    />
  );
  return (
    <DeclaredPanel
      key={chosen.report}
      rule={chosen}
      group={title}
      of={of}
      isChosen={query.get(name) !== null}
      tools={tools || undefined}
      {...props}
    />
  );
}

interface PanelProps extends DeclaredProps {
  rule: ReportRule;
  group: string;
  of: ReportGroup['of'];
  isChosen: boolean;
  tools: ComponentChildren;
}

const nameOfColumn = (title: string) => lookUp(t.columns, title) ?? title;

function DeclaredPanel({ rule, group, of, isChosen, tools, request, base, projectId }: PanelProps) {
  const { report, route, field, hasSearch = true, isOfNow = false } = rule;
  const { title, empty, note } = textsOf(rule);
  const { filter } = request;
  // The filter has chosen already.
  const choice = Object.hasOwn(filter, rule.choice?.parameter ?? '') ? undefined : rule.choice;
  const { chosen, hrefOf } = useChoice(report, choice);
  const rowsOf = (data: NamedRows) => (data[field] ?? []) as Row[];
  const days = isOfNow ? { ...request, dateFrom: null, dateTo: null } : request;
  const ofChoice = choice && chosen !== null ? { ...choice.by?.query, [choice.parameter]: chosen } : {};
  const own = { ...rule.query, ...ofChoice };
  return (
    <Panel<NamedRows>
      title={title}
      name={report}
      request={{ ...days, own, address: `${base}/${route}` }}
      {...{ rowsOf, tools, group, of, hasSearch, empty }}
      choice={choice && <Chooser {...{ choice, chosen, hrefOf, base, days }} />}
      isChosen={isChosen || chosen !== null}
      unit={isOfNow ? t.asOfToday : undefined}
      isTitleHidden={tools !== undefined}
      isGroupShown={tools !== undefined}
      isLazy
      note={note && <p class="panel-note">{note}</p>}
    >
      {(data) => (
        <Table
          rule={chosen !== null && choice?.by ? { ...rule, head: choice.by.head } : rule}
          rows={rowsOf(data)}
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

interface TableProps extends Pick<DeclaredProps, 'base' | 'projectId'> {
  rule: ReportRule;
  rows: Row[];
  measured: Measured | undefined;
  /** Where the name of a row leads, unless it is a page. */
  hrefOf: ((name: string) => string) | undefined;
}

function Table({ rule, rows, ...rest }: TableProps) {
  const { head, bar } = rule;
  const numbers = rule.numbers.filter(
    ({ field, isRare }) => !isRare || rows.some((row) => row[field] !== null),
  );
  const most = Math.max(1, ...rows.map((row) => (bar ? Number(row[bar]) : 0)));
  return (
    <table class={numbers.length > 2 ? 'counts counts-many' : 'counts'}>
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

const barOfKind: Readonly<Record<string, string>> = { people: 'human', ai: 'ai', dropped: 'dropped' };

function TableRow({
  rule,
  row,
  most,
  measured,
  hrefOf,
  base,
  projectId,
}: Omit<TableProps, 'rows'> & { row: Row; most: number }) {
  const { head, beside = [], numbers, bar, barOf = 'ai', action } = rule;
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
                {as === 'span' ? (
                  formatSpan(String(row[field]), String(row.to))
                ) : (
                  <Name value={row[field]} as={as} />
                )}
              </span>
            ))}
        </span>
        {action && <Action action={action} row={row} base={base} projectId={projectId} />}
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
        </td>
      ))}
    </tr>
  );
}

/** What a row is of; what can be chosen leads to what is known of it alone. */
function Head({ value, as, hrefOf }: { value: CellValue; as: CellKind } & Pick<TableProps, 'hrefOf'>) {
  if (filterOf(value, as)) return <Name value={value} as={as} />;
  const text = writeCell(value, as);
  if (!hrefOf) return <span class="name">{text}</span>;
  return (
    <Link class="name" href={hrefOf(String(value))}>
      {text}
    </Link>
  );
}

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
