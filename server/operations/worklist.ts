import { jobReply } from '../../shared/jobs/job.ts';
import {
  assigneeBody,
  type FaultReply,
  type FixAllReply,
  faultReply,
  fixAllBody,
  fixAllReply,
  worklistQuery,
  worklistReply,
} from '../../shared/reports/faults.ts';
import { sayIncluded } from '../analytics/filters.ts';
import { readMeasured } from '../analytics/measured.ts';
import { reportRoute } from '../analytics/report-route.ts';
import { table } from '../commands/terminal/table.ts';
import { Calendar, type Day } from '../counting/calendar.ts';
import { ApiError } from '../errors.ts';
import { isGranted } from '../http/route.ts';
import { rowsRoute, todayOf } from '../insights/report-call.ts';
import { foundDays } from '../insights/worklist/found-faults.ts';
import { chooseFaults, isToFix, readWorklist } from '../insights/worklist/worklist.ts';
import { newJob } from '../jobs/api/new-job.ts';
import { acceptedJob, toReply } from '../jobs/api/reply.ts';
import { refuseSpending } from '../jobs/turn/spending.ts';
import { makeLive } from '../projects/registry.ts';
import { sitePages } from '../sitefiles/sitemap/site-pages.ts';
import type { Job } from '../store/jobs/job.ts';
import type { ListedProject } from '../store/projects.ts';
import { commandOf } from './command.ts';
import { type Deps, maxBodyBytes, operation, withCommand } from './operation.ts';

const path = '/v1/analytics/:projectId/worklist';
const aiIsNotMeasured =
  'What AI clients meet was not measured: report it from your server, or import its access logs.\n';
/** Who may see jobs. */
const seesJobs = { access: 'project', method: 'GET', scope: 'read', role: 'editor' } as const;

/** The days in which faults are looked for. */
const foundRange = (projectId: string, today: Day) => ({
  projectId,
  from: today + 1 - foundDays,
  to: today + 1,
});

const todayIn = ({ now }: Pick<Deps, 'now'>, { settings }: ListedProject) =>
  new Calendar(settings.timeZone).dayOf(now());

/** All faults, as operations and commands find them. */
async function listFaults(deps: Pick<Deps, 'store' | 'now'>, project: ListedProject) {
  const { store } = deps;
  const today = todayIn(deps, project);
  const copy = project.settings.siteHost === null ? null : await store.sites.readSitemap(project.id);
  const pages = copy ? await sitePages(copy, makeLive(project)) : [];
  const { renamedPaths } = project.settings;
  return readWorklist({ store, projectId: project.id, pages, today, renamedPaths });
}

/** @throws ApiError `not_found` */
async function findFault(deps: Pick<Deps, 'store' | 'now'>, project: ListedProject, id: unknown) {
  const fault = (await listFaults(deps, project)).find((one) => one.id === id);
  if (!fault) throw new ApiError('not_found', 'There is no such fault: it may no longer be found.');
  return fault;
}

const list = withCommand(
  rowsRoute('worklist', {
    query: worklistQuery,
    reply: worklistReply,
    async read(context, { project, query, req }) {
      const today = todayOf(context, project);
      const { store } = context;
      const { renamedPaths } = project.settings;
      const pages = (await context.siteFiles.pages(project)) ?? [];
      const [all, measured] = await Promise.all([
        readWorklist({ store, projectId: project.id, pages, today, renamedPaths }),
        readMeasured(store, foundRange(project.id, today)),
      ]);
      const { faults, ...counts } = chooseFaults(all, query);
      const shown = isGranted(seesJobs, context, req) ? faults : faults.map((row) => ({ ...row, job: null }));
      return {
        ...{ rows: shown, included: sayIncluded(project.settings) },
        answer: (page, hasMore) => ({ faults: page, ...counts, hasMore, measured }),
      };
    },
  }),
  async (deps, { project }) => ({
    faults: await listFaults(deps, project),
    measured: await readMeasured(deps.store, foundRange(project.id, todayIn(deps, project))),
  }),
  {
    name: 'worklist list',
    json: ({ faults }) => faults,
    print: ({ faults, measured }) =>
      faults.length > 0
        ? table(
            ['FAULT', 'STATE', 'SEVERITY', 'PAGE', 'EVIDENCE'],
            faults.map(({ id, state, severity, path, evidence, says }) => [
              id,
              state,
              severity,
              path,
              says ?? evidence,
            ]),
          )
        : `Nothing is wrong that Headcount can see.\n${measured.ai === null ? aiIsNotMeasured : ''}`,
  },
);

/** Starts a job for a fault that has none. @throws ApiError */
async function start(deps: Deps, project: ListedProject, fault: FaultReply): Promise<Job> {
  const { store, now, entries } = deps;
  const { id, kind, path: page, evidence, prompt } = fault;
  refuseFix(fault);
  const job = newJob(project, prompt as string);
  const spent = await refuseSpending({ store, now }, project, job.model);
  const started = entries({
    ...{ action: 'job.started', projectId: project.id, subject: job.id, changes: [`fault: ${page}`] },
  });
  const args = [job, { id, kind, path: page, evidence }, spent !== undefined] as const;
  const fixed = await store.callAudited('jobs', 'fixFault', [...args], started);
  if (fixed.kind === 'taken') throw taken(fixed.job);
  return acceptedJob(fixed, 'jobs', spent);
}

/** @throws ApiError `invalid` where no job is to be started */
function refuseFix({ state, job, prompt }: FaultReply): void {
  if (isToFix({ state, prompt })) return;
  if (job && (state === 'job_running' || state === 'pull_request')) throw taken(job);
  const why = {
    dismissed: 'The fault is dismissed: restore it first.',
    merged: 'Its pull request was merged, and there were not enough visits yet to see whether that helped.',
    improved: 'Its pull request was merged, and helped.',
  }[state as string];
  throw new ApiError('invalid', why ?? 'The fault is no longer found: there is nothing to fix.');
}

function taken({ id, status, prLink }: Pick<Job, 'id' | 'status' | 'prLink'>): ApiError {
  return new ApiError(
    'invalid',
    status === 'active' || prLink === null
      ? `The job ${id} is already working on it.`
      : `The pull request ${prLink} of job ${id} waits for it: merge it, or archive the job first.`,
  );
}

const ofFault = { via: reportRoute, method: 'POST', access: 'project' } as const;

const fix = operation({
  ...ofFault,
  name: 'analytics.worklist.fix',
  path: `${path}/:faultId/fix`,
  scope: 'jobs',
  summary: 'Start a job for a fault',
  description:
    'With the prompt of its row. While a job works on it, or its pull request waits, it is refused.',
  answers: { 201: { says: 'The new job', json: jobReply, headers: { Location: 'Where it is followed.' } } },
  refusals: ['not_found', 'too_many'],
  tool: {
    name: 'fix_fault',
    title: 'Fix a fault',
    description: 'Starts a job for a fault of read_worklist. Answers at once; follow it with read_job.',
  },
  run: async (deps, { project, params: { faultId } }) =>
    toReply(await start(deps, project, await findFault(deps, project, faultId))),
  location: ({ id }, { project }) => `/v2/agent/${project.id}/job/${id}`,
  command: {
    name: 'worklist fix',
    print: ({ id }) => `Job ${id} waits for a running server.\n`,
  },
});

const fixAll = operation({
  ...ofFault,
  name: 'analytics.worklist.fix_all',
  path: `${path}/fix`,
  scope: 'jobs',
  body: { schema: fixAllBody, maxBytes: maxBodyBytes },
  summary: 'Start jobs for faults of a kind',
  description:
    'The worst first, each a job of its own, within the limits of jobs and spending. What it did not start it returns with the reason.',
  answers: { 200: { says: 'What was started, and what was not', json: fixAllReply } },
  tool: {
    name: 'fix_faults',
    title: 'Fix faults of a kind',
    description: 'Starts jobs for the worst faults of a kind of read_worklist, ten at most.',
  },
  async run(deps, { project, body: { kind, limit } }): Promise<FixAllReply> {
    const faults = (await listFaults(deps, project)).filter((fault) => fault.kind === kind);
    const result: FixAllReply = { started: [], left: [] };
    const leave = ({ id, path: page }: FaultReply, reason: string) =>
      result.left.push({ faultId: id, path: page, reason });
    let obstacle: string | undefined;
    for (const fault of faults.filter(isToFix)) {
      if (result.started.length >= limit)
        leave(fault, `One request starts ${limit}: send it again for more.`);
      else if (obstacle !== undefined) leave(fault, obstacle);
      else
        try {
          const { id: jobId } = await start(deps, project, fault);
          result.started.push({ faultId: fault.id, path: fault.path, jobId });
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          leave(fault, error.message);
          // Of all that follow, too.
          if (error.code === 'too_many') obstacle = error.message;
        }
    }
    return result;
  },
  command: {
    name: 'worklist fix-all',
    options: {
      kind: {
        type: 'string',
        value: 'kind',
        needed: true,
        says: 'which faults, such as not_found or refused',
      },
      limit: { type: 'string', value: 'number', says: 'how many jobs to start (10)' },
    },
    read: ({ values: { kind, limit } }) => ({
      body: { kind, ...(limit !== undefined && { limit: Number(limit) }) },
    }),
    print: ({ started, left }) =>
      [
        ...started.map(({ jobId, path: page }) => `${page}: job ${jobId}\n`),
        ...left.map(({ path: page, reason }) => `${page}: not started. ${reason}\n`),
      ].join('') || 'There is nothing to fix.\n',
  },
});

const dismiss = operation({
  ...ofFault,
  effect: 'changes',
  name: 'analytics.worklist.dismiss',
  path: `${path}/:faultId/dismiss`,
  summary: 'Dismiss a fault',
  description: 'It stays dismissed, however often it is found, until it is restored.',
  answers: { 200: { says: 'The fault', json: faultReply } },
  refusals: ['not_found'],
  tool: {
    name: 'dismiss_fault',
    title: 'Dismiss a fault',
    description: 'Takes a fault of read_worklist off the list until it is restored, as when it is no fault.',
  },
  async run(deps, { project, params: { faultId } }) {
    const { store, entries, by } = deps;
    const fault = await findFault(deps, project, faultId);
    const { actor } = by();
    const noted = entries({
      action: 'fault.dismissed',
      projectId: project.id,
      subject: fault.path,
      changes: [`kind: ${fault.kind}`],
    });
    await store.callAudited('jobs', 'dismissFault', [project.id, fault, actor.name ?? actor.kind], noted);
    return findFault(deps, project, fault.id);
  },
  command: { name: 'worklist dismiss', print: ({ path: page }) => `${page} was dismissed.\n` },
});

const restore = operation({
  ...ofFault,
  effect: 'changes',
  name: 'analytics.worklist.restore',
  path: `${path}/:faultId/restore`,
  summary: 'Bring back a dismissed fault',
  answers: {
    200: { says: 'The fault; `open` without a prompt where it is found no longer', json: faultReply },
  },
  refusals: ['not_found'],
  async run(deps, { project, params: { faultId } }) {
    const { store, entries } = deps;
    const fault = await findFault(deps, project, faultId);
    if (fault.state !== 'dismissed') return fault;
    const noted = entries({
      action: 'fault.restored',
      projectId: project.id,
      subject: fault.path,
      changes: [`kind: ${fault.kind}`],
    });
    await store.callAudited('jobs', 'dismissFault', [project.id, fault, null], noted);
    const restored = { ...fault, state: 'open' as const, dismissedAt: null, dismissedBy: null };
    return (await listFaults(deps, project)).find(({ id }) => id === fault.id) ?? restored;
  },
  command: { name: 'worklist restore', print: ({ path: page }) => `${page} is on the list again.\n` },
});

const assign = operation({
  ...ofFault,
  effect: 'changes',
  name: 'analytics.worklist.assign',
  path: `${path}/:faultId/assign`,
  body: { schema: assigneeBody, maxBytes: maxBodyBytes },
  summary: 'Assign a fault to somebody',
  answers: { 200: { says: 'The fault', json: faultReply } },
  refusals: ['not_found'],
  async run(deps, { project, params: { faultId }, body: { assignee } }) {
    const { store, entries } = deps;
    const fault = await findFault(deps, project, faultId);
    const noted = entries({
      ...{ action: 'fault.assigned', projectId: project.id, subject: fault.path },
      changes: [`kind: ${fault.kind}`, `assignee: ${fault.assignee ?? 'none'} → ${assignee ?? 'none'}`],
    });
    if (assignee !== fault.assignee)
      await store.callAudited('jobs', 'assignFault', [project.id, fault, assignee], noted);
    return { ...fault, assignee };
  },
  command: {
    name: 'worklist assign',
    options: { to: { type: 'string', value: 'name', says: 'who looks after it; left out: nobody' } },
    read: ({ values: { to } }) => ({ body: { assignee: to ?? null } }),
    print: ({ path: page, assignee }) =>
      assignee === null ? `${page} is assigned to nobody.\n` : `${page} is assigned to ${assignee}.\n`,
  },
});

/** What is wrong with pages, and what people do about it. */
export const worklistOperations = [list, fix, fixAll, dismiss, restore, assign];

export const worklistCommand = commandOf(
  {
    name: 'worklist',
    about: `The worklist has what is wrong with pages: what AI clients could not read, leave out or read in an old
version. "fix" starts a job for a fault, "fix-all" for the worst of a kind; a running server works on them.
`,
    width: 110,
  },
  worklistOperations,
);
