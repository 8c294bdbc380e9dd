import { dimensionNames, dimensions } from '../../shared/reports/dimensions.ts';
import { operationOf, type Report } from '../../shared/reports/report.ts';
import { reports } from '../../shared/reports/reports.ts';
import type { McpTool } from './tool.ts';

/** One tool for all: each that a model is told of takes room in what it keeps in mind. */
const byDimension: McpTool = {
  name: 'read_visitors_by',
  title: 'Visitors by country, device and more',
  description:
    'Counts visitors by one of their traits, people and AI clients apart. With `path`, those of one page, where such sums are kept.',
  operation: {
    parameter: 'by',
    operations: Object.fromEntries(
      dimensionNames
        .filter((name) => !('tool' in dimensions[name]))
        .map((name) => [name, `analytics.${dimensions[name].report}`]),
    ),
  },
  without: ['format'],
  effect: 'reads',
};

/** What was counted, and what follows from it. */
const reportTools = Object.entries<Report>(reports).flatMap(([path, { tool }]): McpTool[] =>
  // Files are for people.
  tool
    ? [{ ...tool, operation: `analytics.${operationOf(path)}`, without: ['format'], effect: 'reads' }]
    : [],
);

const aiRules: McpTool = {
  name: 'write_ai_rules',
  title: 'Rules for AI clients',
  description:
    'Writes rules for robots.txt, nginx, Caddy or a Cloudflare Worker that allow, slow down, refuse or charge AI clients, by purpose and by client. It changes nothing: a person pastes them.',
  operation: 'analytics.ai-rules',
  without: ['format'],
  effect: 'reads',
};

const glance: McpTool = {
  name: 'read_all_projects',
  title: 'All projects at a glance',
  description:
    'Counts visitors of each project that the key covers, day by day, for which one to look at. A null in `daily` means that nobody measured on that day.',
  operation: 'analytics.glance',
  effect: 'reads',
};

/** Of what is read, in which order a model is told of it: the others follow. */
const order: readonly string[] = [
  ...['read_all_projects', 'read_visitors', 'read_views', 'read_sources'],
  ...['read_visitors_by', 'read_assistant_landings', 'read_entry_pages', 'read_exit_pages'],
  ...['read_time_on_page', 'read_quoted_passages', 'read_ai_clients', 'read_ai_client_pages'],
  ...['read_events', 'read_event_properties', 'read_goals', 'read_goal_sources'],
  ...['read_goal_entry_pages', 'read_goal_countries', 'read_funnels', 'read_ai_failures'],
  ...['read_ai_forms', 'read_ai_bytes', 'read_ai_surfaces', 'read_ai_cut_off'],
  ...['read_ai_disallowed', 'read_signatures', 'read_ai_networks', 'read_ways_in'],
  ...['read_dropped', 'read_name_caps', 'read_freshness', 'write_ai_rules'],
  ...['read_series', 'read_hours', 'read_now', 'read_operators'],
  ...['read_silent_clients', 'read_gaps', 'read_changes', 'read_search_engines'],
  ...['read_search_names', 'read_effect'],
];

const placeOf = ({ name }: McpTool) => (order.includes(name) ? order.indexOf(name) : order.length);

/** In the order in which a model is told of them. */
export const tools: readonly McpTool[] = [
  {
    name: 'list_projects',
    title: 'Projects',
    description: 'Lists the projects that the key covers, with the ids that the other tools take.',
    operation: 'projects.list',
    effect: 'reads',
  },
  ...[glance, byDimension, ...reportTools, aiRules].sort((a, b) => placeOf(a) - placeOf(b)),
  {
    name: 'mark_release',
    title: 'Mark a release',
    description:
      'Marks that the site was released, with the pages that it touched, so that its effect can be told later; or, as `note`, what else happened, such as a campaign.',
    operation: 'analytics.marks.add',
    effect: 'adds',
  },
  {
    name: 'start_job',
    title: 'Start a job',
    description:
      "Has an agent work on the project's repository: it changes content and opens a pull request. Answers at once; follow it with read_job.",
    operation: 'jobs.create',
    without: ['images'],
    effect: 'adds',
  },
  {
    name: 'list_jobs',
    title: 'Jobs',
    description: 'Lists jobs, the newest first.',
    operation: 'jobs.list',
    effect: 'reads',
  },
  {
    name: 'read_job',
    title: 'Job',
    description:
      'Shows a job: whether it is still active, its pull request (`prLink`), why it failed, or why nothing was changed (`noChange`). An active job takes minutes: ask again after some seconds.',
    operation: 'jobs.read',
    effect: 'reads',
  },
  {
    name: 'read_job_events',
    title: 'Transcript of a job',
    description: 'Lists what the agent of a job did and said, oldest first; `after` leads to what is new.',
    operation: 'jobs.events',
    without: ['Last-Event-ID'],
    effect: 'reads',
  },
  {
    name: 'message_job',
    title: 'Follow-up to a job',
    description:
      'Sends a follow-up to a job, which goes on from its branch. Not possible once it is archived.',
    operation: 'jobs.message',
    without: ['images'],
    effect: 'adds',
  },
  {
    name: 'revert_job',
    title: 'Revert a job',
    description:
      'Opens a pull request that takes back what a job has merged, by another job, which is answered: follow it with read_job.',
    operation: 'jobs.revert',
    effect: 'adds',
  },
  {
    name: 'archive_job',
    title: 'Archive a job',
    description: 'Ends a job for good, and stops what it is doing. This cannot be taken back.',
    operation: 'jobs.archive',
    effect: 'ends',
  },
  {
    name: 'list_automations',
    title: 'Automations',
    description:
      'Lists what starts jobs by itself, at times or when something happens: whether it is on, when it is next, and what came of it last.',
    operation: 'jobs.automations.list',
    effect: 'reads',
  },
  {
    name: 'add_automation',
    title: 'Add an automation',
    description:
      'Has jobs started by themselves: at times (`weekly`, `monthly`), when AI clients keep asking for a page that is not there (`missing_page`), when none reads a page for long (`unread_page`), or when another repository publishes a release (`release`). It is off unless `enabled` is true.',
    operation: 'jobs.automations.add',
    effect: 'adds',
  },
  {
    name: 'change_automation',
    title: 'Change an automation',
    description: 'Changes what is given of an automation, or turns it on and off with `enabled`.',
    operation: 'jobs.automations.change',
    effect: 'adds',
  },
];
