import { reportTools } from './report-tools.ts';
import type { McpTool } from './tool.ts';

/** In the order in which a model is told of them. */
export const tools: readonly McpTool[] = [
  {
    name: 'list_projects',
    title: 'Projects',
    description: 'Lists the projects that the key covers, with the ids that the other tools take.',
    operation: 'projects.list',
    effect: 'reads',
  },
  ...reportTools,
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
