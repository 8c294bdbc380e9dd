import { parseSections } from '../../../../shared/project/sections.ts';
import type { Count } from '../../../../shared/reports/analytics.ts';
import type { Day } from '../../../counting/calendar.ts';
import { pagesInNone, sectionsBy } from '../../../counting/cells/cells.ts';
import { addCounts, type Counts, nothing } from '../../../counting/cells/question.ts';
import { otherName } from '../../../counting/names/name-cap.ts';
import type { Renamed } from '../../../counting/page/renamed.ts';
import { what } from '../../../counting/what.ts';
import type { Sql, SqlValue } from '../../../database/sql.ts';
import type { RangeQuery } from '../analytics-store.ts';
import {
  addTo,
  countsOf,
  type DayRange,
  type KeptDay,
  placeOf,
  type ReportTables,
  readDays,
  readSite,
  sumNames,
} from '../count-tables.ts';
import { findPaths } from '../day-cells.ts';

/** Visitors of a section, of the days for which they are known. */
export interface SectionRow extends Count {
  /** Its name; `otherName`: all pages in none. */
  section: string;
  /** Its glob; null: it has none. */
  path: string | null;
  /** Days of the range with views for which they are known, and for which they are not. */
  measured: number;
  unmeasured: number;
}

export interface SectionsReport {
  /** Of the site. */
  totals: Count;
  /** In the order in which they are declared, and last the pages in none. */
  rows: SectionRow[];
}

type BySection = Map<Day, Map<string, Counts>>;

/** What the declared sections of a site have. */
export function sectionReports(sql: Sql, tables: ReportTables) {
  const { dialect } = sql;

  /** What closed days have of sections. */
  async function readClosed({ sql, project, ...days }: DayRange): Promise<BySection> {
    const values: SqlValue[] = [...placeOf(project), what.section];
    const rows = { days, is: 'c.what = $3 and c.parent = 0', by: ['name'], waits: false };
    const daily = tables.daily(project, rows, addTo(values));
    const kept = await sql.query<KeptDay & { text: string }>(
      `select s.*, n.text from (${daily}) s join names n on n.project = $2 and n.id = s.name`,
      values,
    );
    return bySection(kept.map(({ text, ...row }) => ({ ...row, section: text })));
  }

  /** The sums of the pages that are in each now. */
  async function readPages(
    { sql, project, ...days }: DayRange,
    globs: readonly string[],
    renamed: Renamed | null,
  ): Promise<BySection> {
    const names = await sql.query<{ id: number; text: string }>(
      'select id, text from names where project = $1 and what = $2 and parent = 0',
      [project.id, what.path],
    );
    const sectionsOf = sectionsBy(globs, renamed);
    const pages = names.flatMap(({ id: name, text }) =>
      sectionsOf(text).map((section) => ({ name, section })),
    );
    const values: SqlValue[] = [...placeOf(project), what.path, JSON.stringify(pages)];
    const rows = { days, is: 'c.what = $3 and c.parent = 0', by: ['name'] };
    const daily = tables.daily(project, rows, addTo(values));
    const sums = sumNames.map((sum) => `cast(sum(s.${sum}) as bigint) as ${sum}`).join(', ');
    return bySection(
      await sql.query(
        `select s.day, m.section, ${sums} from (${daily}) s
         join ${dialect.rows('$4', { name: 'int', section: 'text' })} m on m.name = s.name group by s.day, m.section`,
        values,
      ),
    );
  }

  /** Adds what days have that are not closed. */
  async function addOpen(
    found: BySection,
    { sql, project, from, to }: DayRange,
    globs: readonly string[],
  ): Promise<void> {
    const sectionsOf = sectionsBy(globs, project.renamed);
    for (const { day, views } of await tables.openViews(sql, project, { from, to })) {
      const names = await findPaths(sql, project.id, views);
      const known = new Map<number, readonly string[]>();
      const sectionsOfPath = (path: number) => {
        const sections = known.get(path) ?? sectionsOf(names.get(path) ?? '');
        known.set(path, sections);
        return sections;
      };
      for (const [section, counts] of views.countBy(sectionsOfPath))
        addCounts(countsIn(found, day, section), counts);
    }
  }

  return {
    readSections: (query: RangeQuery): Promise<SectionsReport> =>
      readDays<SectionsReport>(
        sql,
        tables,
        query,
        { totals: toCount(nothing()), rows: [] },
        async (range) => {
          const { sections, globs } = await findSections(range);
          const site = await readSite(tables, range);
          const all = nothing();
          for (const day of site) addCounts(all, countsOf(day));
          const totals = toCount(all);
          if (globs.length === 0) return { totals, rows: [] };
          const { renamed } = range.project;
          const now = await readPages(range, globs, renamed);
          // A day may have been closed before pages were renamed.
          const then = renamed ? await readPages(range, globs, null) : now;
          const counted = await readClosed(range);
          await addOpen(counted, range, globs);
          const rows = [...sections, { name: otherName, path: null }].map(({ name, path }) => {
            const section = path ?? pagesInNone(globs);
            const sum = nothing();
            let measured = 0;
            for (const { day } of site) {
              const own = countsIn(counted, day, section);
              const isOf = (pages: BySection) => {
                const [, , , human, ai] = countsIn(pages, day, section);
                return hasPages(pages, day) && own[3] === human && own[4] === ai;
              };
              // Where a day has no pages its details are deleted; where others have views, pages were moved or it was no section.
              if (!isOf(now) && !isOf(then)) continue;
              addCounts(sum, own);
              measured++;
            }
            return { section: name, path, ...toCount(sum), measured, unmeasured: site.length - measured };
          });
          return { totals, rows };
        },
      ),
  };
}

/** Those that are declared. */
export async function findSections({ sql, project }: DayRange) {
  const [stored] = await sql.query<{ sections: string | null }>(
    "select settings ->> 'sections' as sections from projects where id = $1",
    [project.id],
  );
  const sections = parseSections(stored?.sections);
  return { sections, globs: sections.map(({ path }) => path) };
}

const hasPages = (pages: BySection, day: Day) =>
  [...(pages.get(day)?.values() ?? [])].some(([, , , human, ai]) => human + ai > 0);

const toCount = ([human, ai, total]: Counts): Count => ({ human, ai, total });

function bySection(rows: readonly (KeptDay & { section: string })[]): BySection {
  const found: BySection = new Map();
  for (const row of rows) addCounts(countsIn(found, row.day, row.section), countsOf(row));
  return found;
}

function countsIn(found: BySection, day: Day, section: string): Counts {
  const ofDay = found.get(day) ?? new Map<string, Counts>();
  found.set(day, ofDay);
  const counts = ofDay.get(section) ?? nothing();
  ofDay.set(section, counts);
  return counts;
}
