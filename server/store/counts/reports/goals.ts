import { stepsOf } from '../../../../shared/project/goals.ts';
import { type Block, coverDays } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import { pagesInNone, sectionsBy } from '../../../counting/cells/cells.ts';
import { noBounds } from '../../../counting/cells/question.ts';
import { deviceSums } from '../../../counting/goal/device-goals.ts';
import {
  type Aims,
  type ConversionsBy,
  conversionKinds,
  hasPatterns,
  namesOfGoals,
  parseAims,
  type StoredAims,
} from '../../../counting/goal/goal.ts';
import { otherName } from '../../../counting/names/name-cap.ts';
import { searchableText, wantedText } from '../../../counting/names/name-search.ts';
import { pathMatcher } from '../../../counting/page/path-pattern.ts';
import { matchesBy } from '../../../counting/page/renamed.ts';
import { orderOfNames } from '../../../counting/visit.ts';
import { what } from '../../../counting/what.ts';
import type { Sql, SqlValue } from '../../../database/sql.ts';
import { type PageOfRows, toPage } from '../../page.ts';
import type {
  ConversionQuery,
  ConversionReport,
  ConversionRow,
  ConversionTotals,
  FunnelRow,
  GoalRow,
  GoalsQuery,
  PeopleAndConversions,
} from '../analytics-store.ts';
import {
  addTo,
  blocksIn,
  type DayRange,
  findNumber,
  type Given,
  historyDays,
  type PeopleOfDay,
  type PeopleReached,
  placeOf,
  type ReportTables,
  readDays,
} from '../count-tables.ts';
import { findPaths } from '../day-cells.ts';
import { findPages } from '../renamed.ts';
import { findChannels, readPages } from './combined.ts';
import { findSections } from './sections.ts';

/** What is known of goals and funnels, day by day. */
interface KnownGoals {
  /** Those that are set. */
  aims: Aims;
  /** By day, oldest first. */
  site: readonly PeopleOfDay[];
  /** Of days that are not sealed. */
  open: readonly PeopleReached[];
  /** Of goals and steps of funnels, in no order, and several of one where it was counted in parts. */
  reached: readonly PeopleReached[];
}

/** Goals and funnels; each report reads one snapshot. */
export function goalReports(sql: Sql, tables: ReportTables) {
  const { dialect } = sql;

  async function read(range: DayRange, by?: ConversionsBy, goal?: string): Promise<KnownGoals> {
    const { sql, project, from, to } = range;
    const isByDevice = by === 'device';
    const [stored] = await sql.query<StoredAims>(
      `select settings ->> 'goals' as goals, settings ->> 'funnels' as funnels,
         settings ->> 'renamedPaths' as "renamedPaths" from projects where id = $1`,
      [project.id],
    );
    const aims = parseAims(stored);
    const days = { from, to };
    const ofSite: SqlValue[] = [...placeOf(project)];
    const isSite = `c.what = ${what.site} and c.parent = 0 and c.name = 0`;
    const site = await sql.query<PeopleOfDay>(
      `select s.day, s.human_visitors as people, s.human_views as views
       from (${tables.daily(project, { days, is: isSite, waits: 'site' }, addTo(ofSite))}) s order by s.day`,
      ofSite,
    );
    const names = await sql.query<{ id: number; what: number; text: string }>(
      `select id, what, text from names where project = $1 and what in (${what.goal}, ${what.funnel}, ${what.funnelStep})`,
      [project.id],
    );
    const textOf = new Map(names.map(({ id, text }) => [id, text]));
    const known = names.filter((name) => name.what === what.funnel && aims.funnels.includes(name.text));
    const kinds = [
      { what: what.goal, parent: 0 },
      ...known.map(({ id: parent }) => ({ what: what.funnelStep, parent })),
      ...(isByDevice ? [{ what: what.entryDevice, parent: 0 }] : []),
    ];
    const ofKinds: SqlValue[] = [...placeOf(project), JSON.stringify(kinds)];
    const rows = {
      ...{ days, of: dialect.rows('$3', { what: 'int', parent: 'int' }) },
      is: 'c.what = x.what and c.parent = x.parent',
      by: ['what', 'parent', 'name'],
      waits: false,
    };
    const sealed = await sql.query<PeopleOfDay & { what: number; parent: number; name: number }>(
      `select s.day, s.what, s.parent, s.name, s.human_visitors as people, s.human_views as views
       from (${tables.daily(project, rows, addTo(ofKinds))}) s`,
      ofKinds,
    );
    const reached = sealed.map(({ parent, name, ...counted }): PeopleReached => {
      return { ...counted, under: textOf.get(parent) ?? null, text: textOf.get(name) ?? '' };
    });
    const asked = { aims, goal, by: isByDevice ? undefined : by };
    const open = await tables.openGoals(sql, project, days, asked);
    if (isByDevice) open.push(...(await readDevices(range, goal === undefined ? aims.goals : [goal])));
    reached.push(...open);
    const devices = reached.filter((one) => one.what === what.entryDevice);
    // Earlier versions did not keep them.
    const unmeasured = isByDevice ? measure(devices, site).unmeasured : [];
    return { aims, site, open, reached: reached.filter(({ day }) => !unmeasured.includes(day)) };
  }

  /** Of active days. */
  async function readDevices(
    { sql, project, ...days }: DayRange,
    goals: Aims['goals'],
  ): Promise<PeopleReached[]> {
    const reached: PeopleReached[] = [];
    for (const { day, views } of await tables.openViews(sql, project, days)) {
      const names = await findPaths(sql, project.id, views);
      const asked = { goals, renamed: project.renamed, nameOf: (name: number) => names.get(name) };
      // Without its pauses, in which others would read in the same snapshot.
      const counting = deviceSums(views, asked);
      let step = counting.next();
      while (!step.done) step = counting.next();
      for (const { sum, ...named } of step.value)
        reached.push({ ...named, day, people: sum.humanVisitors, views: sum.humanViews });
    }
    return reached;
  }

  /**
   * On days on which pages or an event were no goal yet, or not from the first view on, people who viewed one or did the event
   * reached it. Not known where sums of pages do not hold all views, as they were deleted, or where another tool counted; nor
   * where people may have viewed several of the pages, which only an active day and a section hold.
   */
  async function lookBack({ sql, project }: DayRange, known: KnownGoals): Promise<Past> {
    const past: Past = new Map();
    const late = known.aims.goals.filter((goal) => measureGoal(goal, known).unmeasured.length > 0);
    const wanted = new Set(late.flatMap((goal) => measureGoal(goal, known).unmeasured));
    if (wanted.size === 0) return past;
    const days = { from: Math.min(...wanted), to: Math.max(...wanted) + 1 };
    const range = { sql, project, ...days };
    const siteOf = new Map(known.site.map((one) => [one.day, one]));
    for (const day of await historyDays(range, tables)) wanted.delete(day);
    const ofPages: SqlValue[] = [...placeOf(project)];
    const isPage = { days, is: `c.what = ${what.path} and c.parent = 0`, by: ['name'] };
    const held = await sql.query<PeopleOfDay>(
      `select p.day, cast(sum(p.human_visitors) as bigint) as people, cast(sum(p.human_views) as bigint) as views
       from (${tables.daily(project, isPage, addTo(ofPages))}) p group by p.day`,
      ofPages,
    );
    const complete = held.filter(({ day, views }) => wanted.has(day) && views === siteOf.get(day)?.views);
    const pages = hasPatterns(late) || project.renamed ? await findPages(range) : [];
    const matchesOf = matchesBy(late, project.renamed);
    const reachedBy = new Map(pages.map((page) => [page, matchesOf(page.text)]));
    const goalsOf = new Map<number, string[]>();
    for (const goal of late) {
      const [named] = namesOfGoals([goal]);
      const isAlone = named && (named.what !== what.path || !project.renamed);
      const number = isAlone && (await findNumber(sql, tables, project, named));
      const those = isAlone ? [] : pages.filter((page) => reachedBy.get(page)?.includes(goal));
      for (const { id } of those) goalsOf.set(id, [...(goalsOf.get(id) ?? []), goal]);
      // No name has the number -1.
      const ids = isAlone ? [number || -1] : those.map(({ id }) => id);
      const [is, has] = [pathMatcher([goal]), new Set(those)];
      const isAsCounted = !named && pages.every((page) => is(page.text) === has.has(page));
      const asked = { of: named?.what ?? what.path, ids, glob: isAsCounted ? goal : undefined };
      const bounds = await readPages(tables, range, asked);
      const ofGoal = new Map<Day, number>();
      for (const { day, people: onPages } of complete) {
        const { people = 0 } = siteOf.get(day) ?? {};
        const { from, to } = bounds.get(day) ?? noBounds();
        // Who did an event may have viewed no page.
        const most = named?.what === what.event ? to[0] : Math.min(to[0], people);
        // Those who viewed none of the pages are among the people of others.
        const least = named ? from[0] : Math.max(from[0], people - (onPages - to[0]));
        if (least === most) ofGoal.set(day, most);
      }
      past.set(goal, ofGoal);
    }
    if (pages.length === 0) return past;
    for (const { day, views, humanViews } of await tables.openViews(sql, project, days)) {
      if (!wanted.has(day) || humanViews !== siteOf.get(day)?.views) continue;
      const counted = views.countBy((path) => goalsOf.get(path) ?? []);
      for (const [goal, [people]] of counted) past.get(goal)?.set(day, people);
    }
    return past;
  }

  /** @param rest of the statement, after what rows are grouped by */
  async function readNames(
    { sql, project }: DayRange,
    { goal, by, search }: Pick<ConversionQuery, 'goal' | 'search'> & { by: ConversionsBy },
    { open, blocks }: Measured,
    rest: (given: Given) => string = () => '',
  ): Promise<ConversionRow[]> {
    const { reached, began } = conversionKinds[by];
    // No name has the number -1.
    const parent = (await findNumber(sql, tables, project, { what: what.goal, text: goal })) ?? -1;
    const kinds = [
      { what: began, parent: 0 },
      { what: reached, parent },
    ];
    const wanted = search === undefined ? undefined : wantedText(search);
    const rows = new Map<string, { name: string; people: number; conversions: number }>();
    for (const { what, under, text: name, people } of open) {
      if (wanted !== undefined && !searchableText(name).includes(wanted)) continue;
      const row = rows.get(name) ?? { name, people: 0, conversions: 0 };
      if (what === began) row.people += people;
      else if (what === reached && under === goal) row.conversions += people;
      else continue;
      rows.set(name, row);
    }
    const values = [
      ...placeOf(project),
      JSON.stringify(blocks.flatMap((block) => kinds.map((kind) => ({ ...block, ...kind })))),
      JSON.stringify([...rows.values()]),
    ];
    const given = addTo(values);
    const from = dialect.rows('$3', { span: 'int', day: 'int', what: 'int', parent: 'int' });
    const openRows = dialect.rows('$4', { name: 'text', people: 'bigint', conversions: 'bigint' });
    const is = 'c.what = x.what and c.parent = x.parent';
    return sql.query(
      `select x.name, cast(sum(x.people) as bigint) as people, cast(sum(x.conversions) as bigint) as conversions from (
         select n.text as name, case when n.parent = 0 then s.visitors else 0 end as people,
           case when n.parent = 0 then 0 else s.visitors end as conversions
         from (
           select c.name, cast(sum(c.human_visitors) as bigint) as visitors
           from ${tables.counts(project, { from, is, waits: false })} c group by c.name
         ) s cross join names n
         where n.project = $2 and n.id = s.name ${wanted === undefined ? '' : `and ${tables.contains('n', given(wanted))}`}
         union all
         select name, people, conversions from ${openRows} o) x
       group by x.name ${rest(given)}`,
      values,
    );
  }

  function readRows(range: DayRange, query: ConversionQuery, measured: Measured): Promise<ConversionRow[]> {
    const { by, limit, offset } = query;
    if (by === 'channel') return readChannels(range, query, measured);
    if (by === 'section') return readSections(range, query, measured);
    return readNames(
      range,
      { ...query, by },
      measured,
      (given) =>
        `having sum(x.conversions) > 0
         order by sum(x.conversions) desc, sum(x.people) desc, x.name limit ${given(limit + 1)} offset ${given(offset)}`,
    );
  }

  /** Who began with a source, without those whose medium may say another channel, or with these. */
  async function readChannels(range: DayRange, query: ConversionQuery, measured: Measured) {
    const { ofSource, ofMedium } = await findChannels(range);
    const names = await readNames(range, { goal: query.goal, by: 'source' }, measured);
    const sources = sumGroups(names, (name) => [ofSource(name)]);
    const tags = new Map<string, number>();
    let tagged = 0;
    for (const { text, people } of await readMediums(range, measured.blocks)) {
      const channel = ofMedium(text);
      if (channel === undefined) continue;
      tags.set(channel, (tags.get(channel) ?? 0) + people);
      tagged += people;
    }
    const rows = [...new Set([...sources.keys(), ...tags.keys()])].map((name): ConversionRow => {
      const own = tags.get(name) ?? 0;
      const sums = sources.get(name) ?? { people: 0, conversions: 0 };
      const boundsOf = (of: keyof PeopleAndConversions) => ({
        from: Math.max(0, sums[of] - (tagged - own)),
        to: Math.min(sums[of] + own, measured.totals[of]),
      });
      const bounds = { people: boundsOf('people'), conversions: boundsOf('conversions') };
      const isExact = Object.values(bounds).every(({ from, to }) => from === to);
      const row = { name, people: bounds.people.from, conversions: bounds.conversions.from };
      return isExact ? row : { ...row, bounds };
    });
    return pageOf(rows, query);
  }

  /** People who came with each medium. */
  function readMediums({ sql, project }: DayRange, blocks: readonly Block[]) {
    const values = [...placeOf(project), JSON.stringify(blocks), what.utmMedium];
    const rows = { from: blocksIn(sql, '$3'), is: 'c.what = $4 and c.parent = 0' };
    return sql.query<{ text: string; people: number }>(
      `select n.text, s.people from (
         select c.name, cast(sum(c.human_visitors) as bigint) as people from ${tables.counts(project, rows)} c group by c.name
       ) s cross join names n where n.project = $2 and n.id = s.name`,
      values,
    );
  }

  /** A visit begins on one page: the sums of the pages that are in a section now. */
  async function readSections(range: DayRange, query: ConversionQuery, measured: Measured) {
    const { sections, globs } = await findSections(range);
    const none = pagesInNone(globs);
    const names = await readNames(range, { goal: query.goal, by: 'path' }, measured);
    const sectionsOf = globs.length > 0 ? sectionsBy(globs, range.project.renamed) : () => [none];
    const sums = sumGroups(names, sectionsOf);
    const all = [...sections, { name: otherName, path: null }];
    const rows = all.map(({ name, path }): ConversionRow => {
      const found = sums.get(path ?? none) ?? { people: 0, conversions: 0 };
      return { name, path, ...found };
    });
    return pageOf(rows, query);
  }

  return {
    /** Of the goals that are set, in their order. */
    readGoals: (query: GoalsQuery): Promise<PageOfRows<GoalRow>> =>
      readDays(sql, tables, query, noRows, async (range) => {
        const known = await read(range);
        return toGoalRows(known, await lookBack(range, known), query);
      }),

    /** By step, of the funnels that are set, in their order. */
    readFunnels: (query: GoalsQuery): Promise<PageOfRows<FunnelRow>> =>
      readDays(sql, tables, query, noRows, async (range) => toFunnelRows(await read(range), query)),

    readConversions: (query: ConversionQuery): Promise<ConversionReport> =>
      readDays(sql, tables, query, { totals: nothing, ...noRows }, async (range) => {
        const known = await read(range, sumsOf(query.by), query.goal);
        const totals = measureGoal(query.goal, known);
        await tables.planSums(range.sql);
        const open = known.open.filter(({ day }) => !totals.unmeasured.includes(day));
        const blocks = coverMeasured(known, totals.unmeasured, range.project.sealedThrough);
        return { totals, ...toPage(await readRows(range, query, { open, blocks, totals }), query) };
      }),
  };
}

const noRows = { rows: [], hasMore: false };
const nothing: ConversionTotals = { people: 0, conversions: 0, measured: 0, unmeasured: [] };

/** The sums that are kept, of which a channel or a section has several. */
function sumsOf(by: ConversionQuery['by']): ConversionsBy {
  if (by === 'channel') return 'source';
  return by === 'section' ? 'path' : by;
}

/** What there is of the days for which a goal is known. */
interface Measured {
  open: readonly PeopleReached[];
  blocks: readonly Block[];
  totals: PeopleAndConversions;
}

/** By the groups of each name. */
function sumGroups(
  names: readonly ConversionRow[],
  groupsOf: (name: string) => readonly string[],
): Map<string, PeopleAndConversions> {
  const groups = new Map<string, PeopleAndConversions>();
  for (const { name, people, conversions } of names) {
    for (const group of groupsOf(name)) {
      const before = groups.get(group) ?? { people: 0, conversions: 0 };
      groups.set(group, { people: before.people + people, conversions: before.conversions + conversions });
    }
  }
  return groups;
}

/** As a statement would order them. */
function pageOf(rows: readonly ConversionRow[], { search, limit, offset }: ConversionQuery): ConversionRow[] {
  const wanted = wantedText(search ?? '');
  return rows
    .filter(
      ({ name, conversions, bounds }) =>
        (bounds?.conversions.to ?? conversions) > 0 && searchableText(name).includes(wanted),
    )
    .sort((a, b) => b.conversions - a.conversions || b.people - a.people || orderOfNames(a.name, b.name))
    .slice(offset, offset + limit + 1);
}

/** By goal and day, people who reached it, of days that were not looked at for it. */
type Past = Map<string, Map<Day, number>>;

function measureGoal(goal: string, { site, reached }: KnownGoals, past?: Past): ConversionTotals {
  const those = reached.filter((one) => one.what === what.goal && one.text === goal);
  return measure(those, site, past?.get(goal));
}

/** A goal is known for a day when it was looked for in all views of people. */
function measure(
  found: readonly PeopleOfDay[],
  site: readonly PeopleOfDay[],
  past?: ReadonlyMap<Day, number>,
): ConversionTotals {
  const known = new Map<Day, Omit<PeopleOfDay, 'day'>>();
  for (const { day, people, views } of found) {
    const before = known.get(day) ?? { people: 0, views: 0 };
    known.set(day, { people: before.people + people, views: before.views + views });
  }
  const all: ConversionTotals = { people: 0, conversions: 0, measured: 0, unmeasured: [] };
  for (const { day, people, views } of site) {
    let ofDay = known.get(day) ?? { people: 0, views: 0 };
    const before = past?.get(day);
    if (ofDay.views !== views && before !== undefined) ofDay = { people: before, views };
    if (ofDay.views !== views) {
      all.unmeasured.push(day);
      continue;
    }
    all.people += people;
    all.conversions += ofDay.people;
    if (views > 0) all.measured++;
  }
  return all;
}

function toGoalRows(known: KnownGoals, past: Past, query: GoalsQuery): PageOfRows<GoalRow> {
  const rows = known.aims.goals.map((goal) => ({ goal, ...measureGoal(goal, known, past) }));
  return toWanted(rows, ({ goal }) => goal, query);
}

function toFunnelRows({ aims, site, reached }: KnownGoals, query: GoalsQuery): PageOfRows<FunnelRow> {
  const rows = aims.funnels.flatMap((funnel) => {
    const steps = stepsOf(funnel).map((goal, i) => {
      const isStep = (one: PeopleReached) =>
        one.what === what.funnelStep && one.under === funnel && one.text === String(i + 1);
      return { funnel, step: i + 1, goal, ...measure(reached.filter(isStep), site) };
    });
    return steps.map((step) => ({ ...step, began: steps[0]?.conversions ?? 0 }));
  });
  return toWanted(rows, ({ funnel }) => funnel, query);
}

function toWanted<Row>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
  { search, limit, offset }: GoalsQuery,
): PageOfRows<Row> {
  const wanted = search === undefined ? '' : wantedText(search);
  const found = rows.filter((row) => searchableText(nameOf(row)).includes(wanted));
  return toPage(found.slice(offset, offset + limit + 1), { limit });
}

/** Blocks of the days for which a goal is known. */
function coverMeasured(
  { site }: Pick<KnownGoals, 'site'>,
  unmeasured: readonly Day[],
  sealedThrough: Day | null,
): Block[] {
  const first = site[0]?.day ?? 0;
  const last = site.at(-1)?.day ?? -1;
  const starts = [first, ...unmeasured.map((day) => day + 1)];
  return starts.flatMap((from, i) => coverDays(from, unmeasured[i] ?? last + 1, sealedThrough));
}
