import { filterNames } from '../../shared/reports/pairs.ts';
import { nameOf } from '../../shared/reports/report.ts';
import { countedPaths, reports } from '../../shared/reports/reports.ts';
import { ApiError } from '../errors.ts';
import { route } from '../http/route.ts';
import { nameMeantBy } from '../text/nearest.ts';
import { quoted } from '../text/one-line.ts';

/** Parameters of each report, by its name. */
const parameters = new Map<string, readonly string[]>();
/** Names that some report groups or filters by. */
const filters = new Set<string>([
  ...filterNames,
  'tool',
  ...countedPaths.flatMap((path): readonly string[] => reports[path].columns ?? []),
]);
/** Unknown names that an error lists. */
const most = 5;

/** As `route`. An unknown parameter is an error, as unfiltered numbers would pass for filtered ones. */
export const reportRoute: typeof route = (operation) => {
  const report = nameIn(operation.path);
  const known = Object.keys(operation.query?.shape ?? {});
  const ordered = [...known.filter(isFilter), ...known.filter((name) => !isFilter(name))];
  parameters.set(report, ordered);
  return route({
    ...operation,
    refusals: ['invalid', ...(operation.refusals ?? [])],
    checkQuery: (query) => rejectUnknown(report, ordered, query),
  });
};

function nameIn(path: string): string {
  return nameOf(path.replace(/^\/v1\/(analytics|share)(\/:\w+\/)?/, '')) || 'all projects';
}

function isFilter(name: string): boolean {
  return filters.has(name);
}

/** Names with `_` in front are left to proxies and caches, and an empty search leaves all rows. */
function rejectUnknown(report: string, known: readonly string[], query: object): void {
  const unknown = Object.entries(query)
    .filter(
      ([name, value]) =>
        !known.includes(name) && !name.startsWith('_') && !(name === 'search' && value === ''),
    )
    .map(([name]) => name)
    .slice(0, most);
  if (unknown.length === 0) return;
  const found = unknown.map((name) => ({ name, meant: meantBy(name, known) }));
  const sentences = [
    ...found.map(
      ({ name, meant }) =>
        `"${report}" has no ${isFilter(name) ? 'filter' : 'parameter'} "${quoted(name)}"${question(meant)}`,
    ),
    known.length === 0 ? 'It has no parameters.' : `Available: ${known.join(', ')}.`,
    ...unknown.map(filterOf).flatMap(reportsWith),
  ];
  throw new ApiError('invalid', `The query is not valid: ${sentences.join(' ')}`, {
    details: found.map(({ name, meant }) => ({
      message: `is unknown${question(meant)}`,
      path: quoted(name),
    })),
  });
}

/** Filters of other reports are spelt right. */
function meantBy(name: string, known: readonly string[]): string | undefined {
  return isFilter(name) ? undefined : nameMeantBy(name, known);
}

/** The filter of any report with this name or a similar one. */
function filterOf(name: string): string | undefined {
  return isFilter(name) ? name : nameMeantBy(name, filterNames);
}

function reportsWith(filter: string | undefined): string[] {
  if (filter === undefined) return [];
  const found = [...parameters.keys()].filter((report) => parameters.get(report)?.includes(filter));
  return found.length === 0 ? [] : [`Reports with "${filter}": ${found.join(', ')}.`];
}

function question(meant: string | undefined): string {
  return meant === undefined ? '.' : `; did you mean "${meant}"?`;
}
