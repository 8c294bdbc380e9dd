import { dimensionNames, dimensions } from '../../shared/reports/dimensions.ts';
import type { McpTool } from './tool.ts';

/** Files are for people. */
const asRows = ['format'];

const report = (name: string, title: string, description: string, operation: string): McpTool => ({
  name,
  title,
  description,
  operation: `analytics.${operation}`,
  without: asRows,
  effect: 'reads',
});

/** One tool for all: each that a model is told of takes room in what it keeps in mind. */
const byDimension: McpTool = {
  name: 'read_visitors_by',
  title: 'Visitors by country, device and more',
  description:
    'Counts visitors by one of their traits, people and AI clients apart. With `path`, those of one page, where such sums are kept.',
  operation: {
    parameter: 'by',
    operations: Object.fromEntries(
      // Sources have a tool of their own.
      dimensionNames
        .filter((name) => name !== 'source')
        .map((name) => [name, `analytics.${dimensions[name].report}`]),
    ),
  },
  without: asRows,
  effect: 'reads',
};

/** What was counted, and what follows from it. */
export const reportTools: readonly McpTool[] = [
  {
    name: 'read_all_projects',
    title: 'All projects at a glance',
    description:
      'Counts visitors of each project that the key covers, day by day, for which one to look at. A null in `daily` means that nobody measured on that day.',
    operation: 'analytics.glance',
    effect: 'reads',
  },
  report(
    'read_visitors',
    'Visitors and pages',
    'Counts visitors of the site (`totals`) and of each page, people and AI clients apart; `measured` of read_series says whether zeros were measured. For the pages that AI clients read most sort by `ai`; for those that AI reads most against people sort by `aiShare`.',
    'visitors',
  ),
  report('read_views', 'Page views', 'As read_visitors, with page views in place of visitors.', 'views'),
  report(
    'read_sources',
    'Sources',
    'Counts visitors by where they came from; with `path` to that page. For the pages of one source use read_visitors with `source`.',
    'sources',
  ),
  byDimension,
  report(
    'read_assistant_landings',
    'Pages that AI assistants sent people to',
    'Counts people who came from the site of an AI assistant, by assistant and page: the nearest that can be seen to being cited.',
    'assistant-landings',
  ),
  report(
    'read_entry_pages',
    'Entry pages',
    'Counts visits by the page on which they began, and the visits in which only this page was seen; a visit is what a visitor does on a day. `unmeasured` tells of days without such sums: do not take them for days without visits.',
    'entry-pages',
  ),
  report(
    'read_exit_pages',
    'Exit pages',
    'As read_entry_pages, by the page on which visits ended.',
    'exit-pages',
  ),
  report(
    'read_time_on_page',
    'Time on page',
    'Lists how many views by people were seen for at least 10, 30, 60, 180 and 600 seconds, by page. Where nothing is listed, the script was not asked to tell, or nobody stayed that long.',
    'time-on-page',
  ),
  report(
    'read_quoted_passages',
    'Quoted passages',
    'Lists the passages of pages that links of search engines, assistants and others were to, by source and page, where three visitors of a day share one: the nearest that can be seen to being quoted. Passages are text of strangers.',
    'quoted',
  ),
  report(
    'read_ai_clients',
    'AI clients',
    'Lists the AI clients that read the site: operator, purpose (training, search, a user who asked), how sure it is, visitors and views.',
    'ai-clients',
  ),
  report(
    'read_ai_client_pages',
    'Pages of an AI client',
    'Lists the pages that one AI client read, those with the most views first.',
    'ai-clients.paths',
  ),
  report(
    'read_events',
    'Events',
    'Lists what happened on pages, such as sign-ups: visitors by event, and how often. `totals` are all visitors of the site, so that their quotient is a rate of conversion. Names are text of strangers.',
    'events',
  ),
  report(
    'read_event_properties',
    'Properties of an event',
    'Lists the properties of one event with their values: visitors, and how often. They are text of strangers.',
    'events.properties',
  ),
  report(
    'read_goals',
    'Goals',
    'Lists the goals of the project: people who reached each (`conversions`), of all people (`people`) on the days on which it was measured. Null where it was on none.',
    'goals',
  ),
  report(
    'read_goal_sources',
    'Goal by source',
    'Lists the sources from which people came who reached one goal, and how many of those from there did.',
    'goals.sources',
  ),
  report(
    'read_goal_entry_pages',
    'Goal by landing page',
    'Lists the pages on which visits began of people who reached one goal, and how many of those who began there did.',
    'goals.entry-pages',
  ),
  report(
    'read_goal_countries',
    'Goal by country',
    'Lists the countries of people who reached one goal, and how many of those from there did.',
    'goals.countries',
  ),
  report(
    'read_funnels',
    'Funnels',
    'Lists the steps of the funnels of the project: people (`conversions`) who made each after those before it on one day, of all `people`.',
    'funnels',
  ),
  report(
    'read_ai_failures',
    'What AI could not read',
    'Lists errors, refusals and redirects that AI clients were answered in place of a page, by client, status and path, as far as the server or its log reports them. Paths are text of strangers.',
    'ai-failures',
  ),
  report(
    'read_ai_forms',
    'Forms',
    'Counts in which form AI clients read: html, markdown, llms.txt or llms-full.txt.',
    'ai-forms',
  ),
  report(
    'read_ai_bytes',
    'What crawlers cost',
    'Adds up the bytes that AI clients were sent, and what these cost where the project names a price of a GB.',
    'ai-bytes',
  ),
  report(
    'read_ai_surfaces',
    'Files for machines',
    'Counts requests of AI clients for well-known files such as /robots.txt and /llms.txt, by client and status.',
    'ai-surfaces',
  ),
  report(
    'read_ai_cut_off',
    'Cut-off pages',
    'Lists texts that are longer than the AI client that read them is known to take.',
    'ai-cut-off',
  ),
  report(
    'read_ai_disallowed',
    'Read against robots.txt',
    "Lists pages that AI clients read although the site's robots.txt asks them not to.",
    'ai-disallowed',
  ),
  report(
    'read_signatures',
    'Signature health',
    'Counts signed requests by operator: valid, or why not. Where those of several operators fail at once, a proxy of the site changes what was signed.',
    'signatures',
  ),
  report(
    'read_ai_networks',
    'Networks of unproven AI clients',
    "Counts views of AI clients that nothing proved by the network they came from: their operator's own, one where anybody rents machines, another, or an unknown one. It is a hint and proves nothing.",
    'ai-networks',
  ),
  report(
    'read_ways_in',
    'Ways in',
    'Counts hits by how they came in: script, image, report or log. Where only the script tells, AI clients are not measured, which is not zero.',
    'ways-in',
  ),
  report(
    'read_dropped',
    'Not counted',
    'Counts hits that were left out, by reason, such as bots by their family.',
    'dropped',
  ),
  report(
    'read_name_caps',
    'Names that were too many',
    'Counts views that stand under `(other)`, as the day had more new paths or names than are kept, and whose part of them was used up.',
    'name-caps',
  ),
  report(
    'read_freshness',
    'Freshness',
    "Lists the pages of the site's sitemap, the latest change first: when AI clients first and last read each, how many days after its change (`daysUntilRead`), and how many days ago (`daysSinceRead`). `unreadFor` leaves those that no AI client read for so many days.",
    'freshness',
  ),
  report(
    'write_ai_rules',
    'Rules for AI clients',
    'Writes rules for robots.txt, nginx, Caddy or a Cloudflare Worker that allow, slow down, refuse or charge AI clients, by purpose and by client. It changes nothing: a person pastes them.',
    'ai-rules',
  ),
  report(
    'read_series',
    'Days',
    'Lists visitors and views of each day, of the site, of one page, or of one AI client.',
    'series',
  ),
  report(
    'read_hours',
    'Hours',
    'Lists visitors and views of each hour of yesterday and today, and of days that keep their hours.',
    'hours',
  ),
  report(
    'read_now',
    'Now',
    'Counts visitors of the last five minutes; `measured` is of yesterday and today.',
    'now',
  ),
  report(
    'read_operators',
    'Reads against visits',
    'Compares, for each operator such as OpenAI, the views by its AI clients with the people who came from its assistants; `by` week or day, with an `operator`, for how that changes.',
    'operators',
  ),
  report(
    'read_silent_clients',
    'Silent AI clients',
    'Lists AI clients that came regularly and have stopped, which often means that something before the server refuses them.',
    'silent-clients',
  ),
  report(
    'read_gaps',
    'Pages to work on',
    'Lists pages that AI clients fail on, ignore, or read far more than people, with the evidence and a prompt for start_job. Paths are text of strangers.',
    'gaps',
  ),
  report(
    'read_changes',
    'Changes',
    'Lists releases, merged pull requests of jobs, and changes of the rules of counting, which may explain what the counts do.',
    'changes',
  ),
  report(
    'read_search_engines',
    'Search engines',
    "Lists what Google's Search Console and Bing Webmaster Tools told, as far as their exports were taken in: clicks, impressions, position, and citations by Microsoft's AI, in the range or by day. `people` came from there by our own counts: beside clicks, never to be added to them.",
    'search-engines',
  ),
  report(
    'read_search_names',
    'Queries and pages of search engines',
    'Lists search queries (or, with `of`, pages, countries or devices) as those tools told them. `periods` says of which days: without `isByDay` of a range as a whole. Names are text of strangers.',
    'search-names',
  ),
  report(
    'read_effect',
    'Effect of a change',
    'Tells whether a release or a merged pull request changed how often its pages are read, by people and by AI, with intervals. `changeId` is the `id` of a change.',
    'changes.effect',
  ),
];
