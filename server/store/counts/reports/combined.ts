import type { CombinedName } from '../../../../shared/reports/combined.ts';
import type { Dimension } from '../../../../shared/reports/dimensions.ts';
import type { Condition } from '../../../../shared/reports/pairs.ts';
import { isKept, pairOf, pairs } from '../../../../shared/reports/pairs.ts';
import type { BoundedCount, CombinedCount } from '../../../../shared/reports/replies.ts';
import type { Day } from '../../../counting/calendar.ts';
import { answerDay, anyOfBounds, openCells, sectionPage } from '../../../counting/cells/cells.ts';
import type { PathName } from '../../../counting/cells/day-views.ts';
import {
  addCounts,
  addFound,
  type Bounds,
  type Counts,
  type Found,
  isNothing,
  least,
  narrowed,
  noBounds,
  nothing,
  nothingFound,
  type Question,
} from '../../../counting/cells/question.ts';
import { pageTest, valueTest } from '../../../counting/condition.ts';
import { searchableText, wantedText } from '../../../counting/names/name-search.ts';
import { type Channels, channelsBy } from '../../../counting/page/channel.ts';
import { type SumOf, sumOf } from '../../../counting/selection.ts';
import { what } from '../../../counting/what.ts';
import type { Sql, SqlValue } from '../../../database/sql.ts';
import type { CountOrder, RangeQuery } from '../analytics-store.ts';
import {
  addTo,
  countsOf,
  type DayRange,
  findCounted,
  findProject,
  historyDays,
  type KeptDay,
  placeOf,
  type ReportTables,
  readDays,
  readSite,
  sumNames,
} from '../count-tables.ts';
import { findPaths } from '../day-cells.ts';
import { findMembers, findPages, findWanted } from '../renamed.ts';

/** Asks for views that meet several conditions. */
export interface CombinedQuery extends RangeQuery {
  conditions: readonly Condition[];
  /** What rows are of; null: only days and totals are asked for. */
  by: CombinedName | 'path' | null;
  search?: string | undefined;
  /** What rows are ordered by. */
  measure: 'visitors' | 'views';
  order?: CountOrder | undefined;
}

export interface CombinedReport {
  totals: CombinedCount;
  rows: (CombinedCount & { name: string })[];
  hasMore: boolean;
  /**
   * Those with a view of the site, oldest first; of those that are not measured only the most is known, and of a section that
   * lacks visitors only its views.
   */
  days: (CombinedCount & { day: Day; isMeasured: boolean; lacksVisitors: boolean })[];
}

/** What a day has for filters together, besides that every view is of the site. */
interface KeptCells {
  day: Day;
  views: number;
  site: Uint8Array;
  pages?: Uint8Array;
}

/** Counts of views that meet conditions of which there are no sums. */
export function combinedReports(sql: Sql, tables: ReportTables) {
  /** By day, the sums of what any of these conditions limits. */
  async function readLimits(
    range: DayRange,
    conditions: readonly Condition[],
  ): Promise<ReadonlyMap<Day, Limit>> {
    const limits = new Map<Day, Limit>();
    for (const kept of await readSite(tables, range)) {
      const site = countsOf(kept);
      limits.set(kept.day, { site, sums: [] });
    }
    for (const sum of keptSums(conditions)) {
      const days = new Map((await readSums(tables, range, sum)).map((kept) => [kept.day, countsOf(kept)]));
      for (const [day, limit] of limits) {
        limit.sums.push(days.get(day) ?? nothing());
      }
    }
    return limits;
  }

  /** Those of the days on which no page was counted. */
  async function withoutPages({ sql, project }: DayRange, days: readonly Day[]): Promise<Day[]> {
    if (days.length === 0) return [];
    const asked = { from: '(select 1 as span, d.value as day)', is: 'c.what = $3 and c.parent = 0' };
    const rows = await sql.query<{ day: Day }>(
      `select d.value as day from ${sql.dialect.list('$4', 'int')} d
       where not exists (select 1 from ${tables.counts(project, { ...asked, columns: 'c.day' })} c)`,
      [...placeOf(project), what.path, [...days]],
    );
    return rows.map(({ day }) => day);
  }

  /** By day, what one page has by another value, of which there are sums; undefined: something else is asked for. */
  async function readPairs(
    { sql, project, ...days }: DayRange,
    conditions: readonly Condition[],
    by: CombinedQuery['by'],
  ): Promise<Map<Day, [name: string, Bounds][]> | undefined> {
    const [page, ...others] = conditions;
    const pair = by === null ? undefined : pairOf('path', by);
    if (!page || !pair || others.length > 0 || !isOfPages(page) || page.how !== 'is') return undefined;
    const names = await sql.query<{ parent: number; name: number; text: string }>(
      `select n.parent, n.id as name, a.text from names a cross join names n
       where a.project = $1 and a.what = $3 and a.parent = 0
         and n.project = $1 and n.what = $2 and n.parent = a.id and n.text ${sql.dialect.isOneOf('$4')}`,
      [project.id, what[pair], what[pairs[pair].under], page.values],
    );
    const textOf = new Map(names.map(({ parent, text }) => [parent, text]));
    const asked = JSON.stringify(names.map(({ parent, name }) => ({ parent, name })));
    const values: SqlValue[] = [...placeOf(project), what[pair], asked];
    const of = sql.dialect.rows('$4', { parent: 'int', name: 'int' });
    const is = 'c.what = $3 and c.parent = x.parent and c.name = x.name';
    const daily = tables.daily(project, { days, of, is, by: ['parent', 'name'] }, addTo(values));
    const rows = await sql.query<SumsAndMost & { parent: number }>(
      `select p.day, p.parent, ${sumsAndMost} from (${daily}) p group by p.day, p.parent`,
      values,
    );
    const found = new Map<Day, [string, Bounds][]>();
    for (const row of rows)
      found.set(row.day, [...(found.get(row.day) ?? []), [textOf.get(row.parent) as string, boundsOf(row)]]);
    return found;
  }

  /** By day, what each channel has by the sums of sources and mediums. */
  async function readChannels(
    range: DayRange,
    { ofSource, ofMedium }: Channels,
  ): Promise<ReadonlyMap<Day, ChannelDay>> {
    const days = new Map<Day, ChannelDay>();
    const dayOf = (day: Day): ChannelDay => {
      const known = days.get(day) ?? { tagged: nothing(), tags: new Map(), sources: new Map() };
      days.set(day, known);
      return known;
    };
    for (const { day, group, bounds } of await readGroups(range, what.source, ofSource))
      dayOf(day).sources.set(group, bounds);
    for (const { day, group, bounds } of await readGroups(range, what.utmMedium, ofMedium)) {
      const known = dayOf(day);
      known.tags.set(group, bounds);
      addCounts(known.tagged, bounds.to);
    }
    return days;
  }

  /** By day, what all views with each name of a dimension have. */
  async function readNames({ sql, project, ...days }: DayRange, by: Dimension | 'client') {
    const values: SqlValue[] = [...placeOf(project), what[by]];
    const daily = tables.daily(
      project,
      { days, is: 'c.what = $3 and c.parent = 0', by: ['name'] },
      addTo(values),
    );
    const rows = await sql.query<KeptDay & { text: string }>(
      `select p.*, n.text from (${daily}) p join names n on n.project = $2 and n.id = p.name`,
      values,
    );
    const found = new Map<Day, [string, Bounds][]>();
    for (const row of rows) {
      const ofDay = found.get(row.day) ?? [];
      ofDay.push([row.text, { from: nothing(), to: countsOf(row) }]);
      found.set(row.day, ofDay);
    }
    return found;
  }

  /** By day, what any of the values of a condition have, and what the others have. */
  async function readValues(range: DayRange, condition: Condition) {
    const is = valueTest(condition);
    const days = new Map<Day, AskedValues>();
    const groups = await readGroups(range, what[condition.name as Dimension], (text) =>
      is(text) ? 'is' : 'others',
    );
    for (const { day, group, bounds } of groups) {
      const known = days.get(day) ?? { is: noBounds(), others: noBounds() };
      days.set(day, { ...known, [group]: bounds });
    }
    return days;
  }

  /** By day and group, what any of the names of a group has: at least what the largest has, and the sum at most. */
  async function readGroups(
    { sql, project, ...days }: DayRange,
    of: number,
    groupOf: (text: string) => string | undefined,
  ): Promise<{ day: Day; group: string; bounds: Bounds }[]> {
    const names = await sql.query<{ id: number; text: string }>(
      'select id, text from names where project = $1 and what = $2 and parent = 0',
      [project.id, of],
    );
    const groups = [...Map.groupBy(names, ({ text }) => groupOf(text))];
    // The largest one is not listed.
    groups.sort(([, one], [, other]) => one.length - other.length);
    if (groups.every(([group]) => group === undefined)) return [];
    const values: SqlValue[] = [...placeOf(project), of];
    const given = addTo(values);
    const places = groups.slice(0, -1).map(([, members], place) => {
      return `when p.name ${sql.dialect.isOneOf(given(members.map(({ id }) => id)))} then ${place}`;
    });
    const last = groups.length - 1;
    const place = places.length === 0 ? '0' : `case ${places.join(' ')} else ${last} end`;
    const daily = tables.daily(project, { days, is: 'c.what = $3 and c.parent = 0', by: ['name'] }, given);
    const sums = sumNames.map((sum) => `p.${sum}`).join(', ');
    const rows = await sql.query<SumsAndMost & { place: number }>(
      `select p.day, p.place, ${sumsAndMost} from (select p.day, ${place} as place, ${sums} from (${daily}) p) p
       group by p.day, p.place`,
      values,
    );
    return rows.flatMap((row) => {
      const group = groups[row.place]?.[0];
      return group === undefined ? [] : [{ day: row.day, group, bounds: boundsOf(row) }];
    });
  }

  /** What is kept of the days, of those that are closed and of those that are not. */
  async function* readFound(
    { sql, project, from, to }: DayRange,
    question: Question,
    channels: ReadonlyMap<Day, ChannelDay>,
  ): AsyncIterable<{ day: Day; views: number; found: Found }> {
    const pages = question.pages.length > 0 || question.by === 'path';
    for (const open of await tables.openViews(sql, project, { from, to })) {
      const names = pages ? await findPaths(sql, project.id, open.views) : new Map<number, string>();
      const nameOf: PathName = (path) => names.get(path);
      const found = open.views.answer(question, nameOf);
      yield { day: open.day, views: open.humanViews + open.aiViews, found };
    }
    for (let first = from; first < to; first += daysAtATime) {
      const kept = await sql.query<KeptCells>(
        `select day, human_views + ai_views as views, site ${pages ? ', pages' : ''} from cells
         where project = $1 and day >= $2 and day < $3`,
        [project.id, first, Math.min(first + daysAtATime, to)],
      );
      for (const [i, cells] of openCells(kept).entries()) {
        const { day, views } = kept[i] as KeptCells;
        const tagged = channels.get(day)?.tagged ?? nothing();
        yield { day, views, found: answerDay(cells, question, tagged) };
      }
    }
  }

  return {
    readCombined: (query: CombinedQuery): Promise<CombinedReport> =>
      readDays<CombinedReport>(sql, tables, query, noReport, async (range) => {
        const { by } = query;
        const conditions = await withFormer(range, query.conditions);
        const isOfChannels = by === 'channel' || conditions.some(({ name }) => name === 'channel');
        const rules = isOfChannels ? await findChannels(range) : undefined;
        const channels = rules ? await readChannels(range, rules) : new Map<Day, ChannelDay>();
        const { renamed } = range.project;
        const question = { ...questionOf({ ...query, conditions }), channels: rules, renamed };
        const ofPairs = await readPairs(range, conditions, by);
        const limits = await readLimits(range, conditions);
        const history = await historyDays(range, tables);
        const days = new Map<Day, { views: number; found: Found }>();
        for await (const { day, views, found } of readFound(range, question, channels)) {
          const known = days.get(day);
          if (known) addFound(known.found, found);
          days.set(day, { views: views + (known?.views ?? 0), found: known?.found ?? found });
        }
        const isExact = days.size === limits.size && [...days.values()].every(({ found }) => isSure(found));
        const hasNames = by !== null && by !== 'path' && by !== 'channel';
        const ofNames = hasNames && !isExact ? await readNames(range, by) : undefined;
        const ofValues: { isNot: boolean; of: ReadonlyMap<Day, AskedValues> }[] = [];
        // Another tool may have counted all values but this one.
        const isOfAsked = (one: Condition) => isOfValues(one) || (history.size > 0 && hasValues(one));
        for (const one of isExact ? [] : conditions.filter(isOfAsked))
          ofValues.push({ isNot: one.isNot, of: await readValues(range, one) });
        // A page that was renamed may have one name, which is another one.
        const severalPages = conditions.find((one) => (renamed ? isOfPages(one) : isSeveralPages(one)));
        const isPage = severalPages && valueTest(severalPages);
        const named = isPage ? (await findPages(range)).filter(({ text }) => isPage(text)) : [];
        const several = { ids: named.map(({ id }) => id), glob: severalPages && globOf(severalPages) };
        const pages: Map<Day, Bounds> = isPage ? await readPages(tables, range, several) : new Map();
        const channel = conditions.find(({ name, isNot }) => name === 'channel' && !isNot);
        const isChannel = channel ? valueTest(channel) : () => true;
        const isAlone = conditions.length === 1;
        // The last of the kept sums is of all conditions then.
        const isOfSum =
          conditions.length > 0 && conditions.every(isSingle) && isKept(conditions.map(({ name }) => name));
        // A view has one value, which the rows are of.
        const tests = conditions.map((one) => ({ ...one, is: valueTest(one) }));
        const isRow = (row: string) => tests.every(({ name, isNot, is }) => name !== by || is(row) !== isNot);
        const isOfSection = isAlone && severalPages !== undefined && globOf(severalPages) !== undefined;
        const lacks = ({ from, to }: Bounds) =>
          isOfSection && from.some((count, i) => i < 3 && count !== to[i]);
        const all = nothingFound();
        const reported: CombinedReport['days'] = [];
        for (const [day, limit] of [...limits].sort(([a], [b]) => a - b)) {
          const kept = days.get(day);
          // Days that were counted without values have some that are not known.
          const isMeasured = kept ? kept.views === limit.site[3] + limit.site[4] : isNothing(limit.site);
          // Where no sum has anything, they may have been deleted with the details of the day.
          const details = limit.sums.filter((sum) => !isNothing(sum));
          const hasDetails = isMeasured || details.length > 0 || pages.has(day) || channels.has(day);
          // Another tool counts some values, and no pairs of them.
          const isHistory = history.has(day);
          const most = (isHistory ? details : hasDetails ? limit.sums : []).reduce(least, limit.site);
          const found = isMeasured ? (kept?.found ?? nothingFound()) : { ...nothingFound(), unnamed: most };
          let totals = { from: found.totals.from, to: isMeasured ? least(found.totals.to, most) : most };
          const ofChannels = boundsOfChannels(channels.get(day)).filter(([name]) => isChannel(name));
          const several = [
            ...(severalPages && hasDetails && !(isHistory && !pages.has(day))
              ? [pages.get(day) ?? noBounds()]
              : []),
            ...(channel && channels.has(day) ? [anyOfBounds(noBounds(), valuesOf(ofChannels), true)] : []),
          ];
          for (const { from, to } of several) {
            totals.to = least(totals.to, to);
            if (isAlone) totals.from = larger(totals.from, least(from, totals.to));
          }
          let isOfOwn = by !== null && isAlone && conditions[0]?.name === by;
          for (const { isNot, of } of ofValues) {
            const asked = of.get(day);
            const values = asked && boundsOfValues(limit.site, asked, { isNot, isAlone, isMeasured });
            if (values) {
              totals.to = least(totals.to, values.to);
              if (isAlone) totals.from = larger(totals.from, least(values.from, totals.to));
            }
            isOfOwn &&= values !== undefined;
          }
          if (isOfSum) totals.from = larger(totals.from, least(limit.sums.at(-1) ?? nothing(), totals.to));
          totals = narrowed(totals);
          // Then sums alone bound each channel.
          const isOfSums =
            ofPairs !== undefined ||
            (by === 'channel' && channels.has(day) && (channel ? isAlone : conditions.length === 0));
          if (conditions.length === 0) totals.from = totals.to = limit.site;
          const areSumsEnough =
            isNothing(totals.to) || isOfSums || (isAlone && several.length > 0 && by === null);
          const isExact = by === null && totals.from.every((count, i) => count === totals.to[i]);
          const isKnown = isMeasured || (hasDetails && areSumsEnough) || isExact;
          const lacksVisitors = lacks(totals);
          const count = toCount(totals, isKnown, !lacksVisitors);
          reported.push({ day, ...count, isMeasured: isKnown, lacksVisitors });
          let sums: readonly [name: string, Bounds][] | undefined;
          if (by === 'channel' && channels.has(day)) sums = ofChannels;
          else if (ofPairs) sums = ofPairs.get(day) ?? [];
          else if (ofNames && !isHistory && (isMeasured || ofNames.has(day)))
            sums = (ofNames.get(day) ?? []).flatMap(([name, { from, to }]): [string, Bounds][] =>
              isRow(name) ? [[name, { from: isOfOwn ? to : from, to }]] : [],
            );
          addFound(all, { ...(sums ? withSums(found, sums, isOfSums || isOfOwn) : found), totals });
        }
        const isKnown = reported.every(({ isMeasured }) => isMeasured);
        const totals = toCount(all.totals, isKnown, !lacks(all.totals));
        return { totals, ...pageOf(all, query, isKnown), days: reported };
      }),

    /** Paths that were counted on any day, as they are called now. */
    async listPaths(projectId: string, condition: Condition): Promise<string[]> {
      const project = await findProject(sql, tables, projectId);
      return (project && (await findWanted({ sql, project }, condition))) ?? [];
    },

    /** Days with views and without any page, as their details were deleted, or another tool counted them without. */
    daysWithoutDetails: (query: Omit<RangeQuery, 'limit' | 'offset'>): Promise<Day[]> =>
      readDays<Day[]>(sql, tables, query, [], async (range) => {
        // A day with events alone has none. Of active days nothing is deleted.
        const end = Math.min(range.to, (range.project.sealedThrough ?? range.from - 1) + 1);
        const site = end > range.from ? await readSite(tables, { ...range, to: end }) : [];
        const viewed = site.filter((day) => day.human_views + day.ai_views > 0);
        if (viewed.length === 0) return [];
        const days = viewed.map(({ day }) => day).sort((a, b) => a - b);
        const history = await historyDays(range, tables);
        const lacking = await withoutPages(
          range,
          days.filter((day) => history.has(day)),
        );
        // Of the others the oldest are deleted first. The first is looked at first: mostly it has details.
        const own = days.filter((day) => !history.has(day));
        let first = 0;
        for (let to = own.length, at = 0; first < to; at = (first + to) >> 1) {
          if ((await withoutPages(range, [own[at] as Day])).length === 0) to = at;
          else first = at + 1;
        }
        return [...lacking, ...own.slice(0, first)];
      }),

    /** Whether views of a page were counted under another path. */
    async hasFormerPaths(projectId: string, path: string): Promise<boolean> {
      const project = await findProject(sql, tables, projectId);
      return (
        project !== undefined &&
        (await findMembers({ sql, project }, [what.path])).some((one) => one.path === path)
      );
    },
  };
}

async function readSums(
  tables: ReportTables,
  { sql, project, ...days }: DayRange,
  of: SumOf,
): Promise<KeptDay[]> {
  const counted = await findCounted(sql, tables, project, of);
  if (!counted) return [];
  const { what, parent, name } = counted;
  const values = [...placeOf(project), what, parent, name];
  const wanted = { days, is: 'c.what = $3 and c.parent = $4', isNamed: 'c.name = $5' };
  return sql.query<KeptDay>(tables.daily(project, wanted, addTo(values)), values);
}

/**
 * By day, what these pages have together, or these names of another kind: a view is of one of them, a visitor may have read
 * more.
 *
 * @param glob where they are the pages of one, under the names that they had
 */
export async function readPages(
  tables: ReportTables,
  range: DayRange,
  { of = what.path, ids, glob }: { of?: number; ids: readonly number[]; glob?: string | undefined },
): Promise<Map<Day, Bounds>> {
  const { sql, project, ...days } = range;
  const values = [...placeOf(project), of, ids];
  const isNamed = `c.name ${sql.dialect.isOneOf('$4')}`;
  const daily = tables.daily(
    project,
    { days, is: 'c.what = $3 and c.parent = 0', isNamed, by: ['name'] },
    addTo(values),
  );
  const rows = await sql.query<SumsAndMost>(
    `select p.day, ${sumsAndMost} from (${daily}) p group by p.day`,
    values,
  );
  const pages = new Map(rows.map((row) => [row.day, boundsOf(row)]));
  if (glob === undefined) return pages;
  // Of a section its visitors are known where all of its views were counted as such.
  for (const kept of await readSums(tables, range, { what: what.section, text: glob, under: null })) {
    const [section, views] = [countsOf(kept), pages.get(kept.day)?.to];
    if (views?.[3] === section[3] && views[4] === section[4])
      pages.set(kept.day, { from: section, to: section });
  }
  return pages;
}

/** The same conditions with the paths under which pages were counted that have another one now. */
async function withFormer(range: DayRange, conditions: readonly Condition[]): Promise<readonly Condition[]> {
  const { renamed } = range.project;
  if (!renamed || !conditions.some(({ name }) => name === 'path')) return conditions;
  const names = await findPages(range);
  return conditions.map((condition) => {
    if (condition.name !== 'path') return condition;
    const is = valueTest(condition);
    const isOf = pageTest({ ...condition, isNot: false }, renamed);
    const values = names.flatMap(({ text }) => (isOf(text) ? [text] : []));
    const found = new Set(values);
    if (names.every(({ text }) => is(text) === found.has(text))) return condition;
    return { ...condition, how: 'is', values };
  });
}

/** What any of the values that are asked for have on a day, and what the others have. */
type AskedValues = Record<'is' | 'others', Bounds>;

/** Undefined: the sums may lack some. */
function boundsOfValues(
  site: Counts,
  { is, others }: AskedValues,
  { isNot, isAlone, isMeasured }: { isNot: boolean; isAlone: boolean; isMeasured: boolean },
): Bounds | undefined {
  const all = nothing();
  for (const { to } of [is, others]) addCounts(all, to);
  const hasAll = [all[3] === site[3], all[4] === site[4]];
  if (isNothing(all) || !(isMeasured || (hasAll[0] && hasAll[1]))) return undefined;
  // Where each view has a value, what all values have beyond the site is of visitors who have several.
  const beyond = [hasAll[0], hasAll[1], hasAll[0] && hasAll[1], true, true].map((has, i) =>
    // What another tool counted may add up to less.
    has && (all[i] as number) >= (site[i] as number)
      ? (all[i] as number) - (site[i] as number)
      : Number.POSITIVE_INFINITY,
  );
  const isOne = beyond.map((count, i) => i > 2 || count === 0);
  const asked = {
    from: larger(is.from, is.to.map((most, i) => (i > 2 ? most : most - (beyond[i] as number))) as Counts),
    to: is.to,
  };
  if (!isNot) return { from: asked.from, to: least(is.to, site) };
  const without = (counts: Counts) => site.map((count, i) => Math.max(0, count - (counts[i] as number)));
  // With other conditions a visitor of several values may count with another one.
  const surely = asked.from.map((count, i) => (isAlone || isOne[i] ? count : 0)) as Counts;
  return { from: without(asked.to) as Counts, to: without(surely) as Counts };
}

/** What channels have on a day by the sums of single sources and mediums. */
interface ChannelDay {
  /** By channel. */
  sources: Map<string, Bounds>;
  /** The same of mediums that say the channel, and all of them. */
  tags: Map<string, Bounds>;
  tagged: Counts;
}

/** A view is in the channel of its medium, where that says one, or else in that of its source. */
function boundsOfChannels(day: ChannelDay | undefined): [channel: string, Bounds][] {
  if (!day) return [];
  const { sources, tags, tagged } = day;
  return [...new Set([...sources.keys(), ...tags.keys()])].map((channel) => {
    const [bySource, byTag] = [sources.get(channel) ?? noBounds(), tags.get(channel) ?? noBounds()];
    const elsewhere = nothing();
    addCounts(elsewhere, tagged);
    addCounts(elsewhere, byTag.to, -1);
    const from = bySource.from.map((count, i) => count - (elsewhere[i] as number)) as Counts;
    const to = nothing();
    for (const { to: most } of [bySource, byTag]) addCounts(to, most);
    return [channel, { from: larger(from, byTag.from), to }];
  });
}

/** Of channels what is found within what their sums allow. @param isAll they are of the same views */
function withSums(
  { rows, unnamed, totals }: Found,
  sums: readonly [channel: string, Bounds][],
  isAll: boolean,
): Found {
  const bounded = sums.map(([channel, sum]): [string, Bounds] => {
    const { from, to } = rows.get(channel) ?? noBounds();
    const most = nothing();
    for (const counts of [to, unnamed]) addCounts(most, counts);
    const limit = least(most, sum.to);
    return [channel, { from: isAll ? larger(from, least(sum.from, limit)) : from, to: limit }];
  });
  return { totals, rows: new Map(bounded), unnamed: nothing() };
}

const valuesOf = (channels: readonly [channel: string, Bounds][]) => channels.map(([, bounds]) => bounds);

const isSure = ({ totals: { from, to }, unnamed }: Found) =>
  isNothing(unnamed) && from.every((count, i) => count === to[i]);

/** The sum and the largest of several rows of counts. */
type SumsAndMost = KeptDay & Record<`most_${(typeof sumNames)[number]}`, number>;

const sumsAndMost = sumNames
  .map((sum) => `cast(sum(p.${sum}) as bigint) as ${sum}, max(p.${sum}) as most_${sum}`)
  .join(', ');

/** A view is of one of the rows, a visitor may be of several. */
function boundsOf(row: SumsAndMost): Bounds {
  const to = countsOf(row);
  return { from: [row.most_human_visitors, row.most_ai_visitors, row.most_visitors, to[3], to[4]], to };
}

export async function findChannels({ sql, project }: DayRange): Promise<Channels> {
  const [row] = await sql.query<{ channels: string | null }>(
    `select settings ->> 'channels' as channels from projects where id = $1`,
    [project.id],
  );
  return channelsBy(JSON.parse(row?.channels ?? '[]'));
}

/** What a day can have at most. */
interface Limit {
  site: Counts;
  /** Of what is asked for; nothing too where these are deleted. */
  sums: Counts[];
}

/** Blobs of so many days are in memory at once. */
const daysAtATime = 64;

const noReport: CombinedReport = {
  totals: toCount(noBounds(), true),
  ...{ rows: [], hasMore: false, days: [] },
};

const larger = (one: Counts, other: Counts) =>
  one.map((count, i) => Math.max(count, other[i] as number)) as Counts;

const isOfPages = ({ name, isNot }: Condition) => name === 'path' && !isNot;

const isSeveralPages = (condition: Condition) => isOfPages(condition) && !isSingle(condition);

/** Of pages that are asked for as one section. */
const globOf = ({ name, isNot, how, values }: Condition) =>
  name === 'path' && !isNot && how === 'glob' && values.length === 1 ? values[0] : undefined;

/** Of which there is a sum for each value. */
const hasValues = ({ name }: Condition) => name !== 'path' && name !== 'channel';

/** And more than one of them is asked for. */
const isOfValues = (condition: Condition) => hasValues(condition) && !isSingle(condition);

const isSingle = ({ isNot, how, values }: Condition) => !isNot && how === 'is' && values.length === 1;

/** Sums that are kept, of conditions that have one value, and of two of them. */
function keptSums(conditions: readonly Condition[]): SumOf[] {
  const single = conditions.filter((one) => isSingle(one) && one.name !== 'channel');
  const page = single.find(({ name }) => name === 'path');
  const pairs = page ? single.filter(({ name }) => name !== 'path' && isKept(['path', name])) : [];
  const groups = [...single.map((one) => [one]), ...pairs.map((one) => [page as Condition, one])];
  return groups.flatMap((group) => {
    const filter = Object.fromEntries(group.map(({ name, values }) => [name, values[0]]));
    return sumOf(filter) ?? [];
  });
}

function questionOf({ conditions, by }: CombinedQuery): Question {
  const tests = conditions.map(({ name, isNot, ...condition }) => ({
    ...{ name, isNot, is: valueTest(condition) },
    only: condition.how === 'is' && condition.values.length === 1 ? condition.values[0] : undefined,
    section:
      condition.how === 'glob' && condition.values.length === 1
        ? sectionPage(condition.values[0] as string)
        : undefined,
  }));
  return {
    pages: tests.filter(({ name }) => name === 'path'),
    conditions: tests.flatMap(({ name, ...test }) =>
      name === 'path' || name === 'city' ? [] : [{ name, ...test }],
    ),
    by,
  };
}

/**
 * @param isKnown no day is missing: the least may be zero
 * @param hasVisitors the least of them is worth something
 */
export function toCount({ from, to }: Bounds, isKnown: boolean, hasVisitors = true): CombinedCount {
  const views = ([, , , human, ai]: Counts): [number, number, number] => [human, ai, human + ai];
  const visitors = ([human, ai, total]: Counts): [number, number, number] => [human, ai, total];
  return {
    visitors: toBounded(visitors(from), visitors(to), ({ from }) => hasVisitors && (isKnown || from > 0)),
    views: toBounded(views(from), views(to), ({ from }) => isKnown || from > 0),
  };
}

type Three = [human: number, ai: number, total: number];

interface FromTo {
  from: number;
  to: number;
}

/** @param isLeast whether the least is shown where there may be more */
function toBounded(
  [human, ai, total]: Three,
  most: Three,
  isLeast: (bounds: FromTo) => boolean,
): BoundedCount {
  if (most.every((one, i) => one === [human, ai, total][i])) return { human, ai, total };
  const bounds = {
    human: { from: human, to: most[0] },
    ai: { from: ai, to: most[1] },
    total: { from: total, to: most[2] },
  };
  const known = (one: FromTo) => (one.from === one.to || isLeast(one) ? one.from : null);
  return { human: known(bounds.human), ai: known(bounds.ai), total: known(bounds.total), bounds };
}

const orders: Record<CountOrder, (count: BoundedCount) => number> = {
  total: ({ total }) => total ?? 0,
  human: ({ human }) => human ?? 0,
  ai: ({ ai }) => ai ?? 0,
  aiShare: ({ human, ai }) => ((ai ?? 0) + 1) / ((human ?? 0) + 1),
};

function pageOf(
  { totals, rows, unnamed }: Found,
  { conditions, search, measure, order = 'total', limit, offset }: CombinedQuery,
  isKnown: boolean,
): Pick<CombinedReport, 'rows' | 'hasMore'> {
  // With an excluded value a visitor may count in a row, and not among all.
  const isPart = !conditions.some(({ isNot }) => isNot);
  const wanted = search === undefined ? undefined : wantedText(search);
  const named = [...rows].flatMap(([name, { from, to }]) => {
    if (wanted !== undefined && !searchableText(name).includes(wanted)) return [];
    const all = nothing();
    addCounts(all, to);
    addCounts(all, unnamed);
    const bounds = narrowed({ from, to: isPart ? least(all, totals.to) : all });
    return bounds.to.every((count) => count <= 0) ? [] : [{ name, ...toCount(bounds, isKnown) }];
  });
  const byOrder = orders[order];
  named.sort(
    (a, b) =>
      byOrder(b[measure]) - byOrder(a[measure]) ||
      orders.total(b[measure]) - orders.total(a[measure]) ||
      Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)),
  );
  const page = named.slice(offset, offset + limit);
  return { rows: page, hasMore: named.length > offset + limit };
}
