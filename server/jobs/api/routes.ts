import { hash } from 'node:crypto';
import { basename } from 'node:path';
import type { Request } from 'express';
import {
  eventsQuery,
  type JobPrompt,
  type JobReply,
  type JobsQuery,
  type JobsReply,
  jobPrompt,
  jobsQuery,
} from '../../../shared/job.ts';
import type { Context } from '../../context.ts';
import { ApiError } from '../../errors.ts';
import { readIdempotencyKey } from '../../http/idempotency-key.ts';
import { type Call, type Route, route } from '../../http/route.ts';
import { randomText } from '../../projects/key.ts';
import type { LiveProject } from '../../projects/registry.ts';
import type { Idempotency } from '../../store/idempotency.ts';
import type { NewJob } from '../../store/job-store.ts';
import { hasPrice } from '../agent/prices.ts';
import { inSettings } from '../text/in-settings.ts';
import { readBudget } from '../turn/budget.ts';
import { readEvents } from './events-route.ts';
import { acceptedJob, noJob, type SpendingRefusal, toReply } from './reply.ts';

/** 32,000 characters of at most twelve bytes each (two escapes of a surrogate pair), and some room. */
const maxBodyBytes = 512 * 1024;

type JobCall<Query = undefined, Body = undefined> = Call<'project', Query, Body>;

const base = '/v2/agent/:projectId';
const prompt = { schema: jobPrompt, maxBytes: maxBodyBytes };
const once = {
  'Idempotency-Key':
    'Makes it safe to send the request again within 24 hours: the same key and prompt answer with the same job.',
};

const replies = () => import('../../../shared/replies/job.ts');
const job = async () => (await replies()).jobReply;

/** Jobs that an agent does in the background. */
export const jobRoutes: readonly Route[] = [
  route({
    name: 'jobs.create',
    method: 'POST',
    path: `${base}/job`,
    access: 'project',
    body: prompt,
    summary: 'Create a job',
    description:
      'It is answered at once, and worked off in the background. 100 in any 60 minutes for each project.',
    headers: once,
    answers: { 201: { says: 'The new job', json: job, headers: { Location: 'Where it is followed.' } } },
    refusals: ['too_many'],
    handle: createJob,
  }),
  route({
    name: 'jobs.list',
    method: 'GET',
    path: `${base}/jobs`,
    access: 'project',
    role: 'editor',
    query: jobsQuery,
    summary: 'List jobs, the newest first',
    answers: { 200: { says: 'A page of jobs', json: async () => (await replies()).jobsReply } },
    handle: listJobs,
  }),
  route({
    name: 'jobs.read',
    method: 'GET',
    path: `${base}/job/:jobId`,
    access: 'project',
    role: 'editor',
    summary: 'Read a job, to follow it',
    answers: { 200: { says: 'The job', json: job } },
    handle: readJob,
  }),
  route({
    name: 'jobs.events',
    method: 'GET',
    path: `${base}/job/:jobId/events`,
    access: 'project',
    role: 'editor',
    query: eventsQuery,
    summary: "Read or follow a job's transcript",
    description:
      'A list, or with `Accept: text/event-stream` a stream that goes on while the job does, and closes with an event `end`.',
    headers: { 'Last-Event-ID': 'Of a stream that broke off: it goes on after this event.' },
    answers: {
      200: {
        says: 'A part of the transcript, or a stream',
        json: async () => (await replies()).eventsReply,
        types: ['text/event-stream'],
      },
      204: { says: 'The job rests, so that there is nothing to follow' },
    },
    refusals: ['overloaded'],
    handle: readEvents,
  }),
  route({
    name: 'jobs.message',
    method: 'POST',
    path: `${base}/job/:jobId/message`,
    access: 'project',
    body: prompt,
    summary: 'Send a follow-up, handled in order',
    description: 'Another 100 in any 60 minutes for each project. Not possible once the job is archived.',
    headers: once,
    answers: { 200: { says: 'The job, active again', json: job } },
    refusals: ['too_many'],
    handle: addMessage,
  }),
  route({
    name: 'jobs.archive',
    method: 'POST',
    path: `${base}/job/:jobId/archive`,
    access: 'project',
    summary: 'End a job for good',
    description: 'Stops a turn that runs. Asked again, it answers the same.',
    answers: { 200: { says: 'The archived job', json: job } },
    handle: archiveJob,
  }),
];

async function createJob(
  context: Context,
  { project, body, req, res }: JobCall<undefined, JobPrompt>,
): Promise<JobReply> {
  const idempotency = readIdempotency(req, body.prompt);
  const job = newJob(project, body.prompt);
  const spent = await refuseSpending(context, project, job.model);
  const accepted = await context.store.jobs.createJob(job, idempotency, spent !== undefined);
  const created = acceptedJob(accepted, 'jobs', spent);
  res.location(`/v2/agent/${project.id}/job/${created.id}`);
  return toReply(created);
}

async function addMessage(
  context: Context,
  { project, body, req }: JobCall<undefined, JobPrompt>,
): Promise<JobReply> {
  const idempotency = readIdempotency(req, body.prompt);
  const jobId = String(req.params.jobId);
  const job = await context.store.jobs.findJob(project.id, jobId);
  if (!job) throw noJob();
  const spent = await refuseSpending(context, project, job.model);
  const isSpent = spent !== undefined;
  const accepted = await context.store.jobs.addMessage(project.id, jobId, body.prompt, idempotency, isSpent);
  return toReply(acceptedJob(accepted, 'messages', spent));
}

async function readJob({ store }: Context, { project, req }: JobCall): Promise<JobReply> {
  const job = await store.jobs.findJob(project.id, String(req.params.jobId));
  if (!job) throw noJob();
  return toReply(job);
}

async function listJobs({ store }: Context, { project, query }: JobCall<JobsQuery>): Promise<JobsReply> {
  const { status = null, limit, offset } = query;
  const { jobs, hasMore } = await store.jobs.listJobs({ projectId: project.id, status, limit, offset });
  return { jobs: jobs.map(toReply), hasMore };
}

async function archiveJob({ store }: Context, { project, req }: JobCall): Promise<JobReply> {
  const jobId = String(req.params.jobId);
  const job = await store.jobs.archiveJob(project.id, jobId);
  if (!job) throw noJob();
  return toReply(job);
}

/** Undefined: the project may spend more. What an agent of one's own spends, nobody here sees. */
async function refuseSpending(
  context: Context,
  project: LiveProject,
  model: string,
): Promise<SpendingRefusal> {
  const { turnCost, monthlyBudget, agentCommand } = project.settings;
  if ((turnCost === null && monthlyBudget === null) || agentCommand !== null) return undefined;
  if (!hasPrice(model)) {
    return `The price of ${model} is not known, so that a limit in dollars cannot be held: choose another model, or limit steps and tokens instead ${inSettings(`${project.id} --turn-cost "" --monthly-budget ""`)}.`;
  }
  if ((await readBudget(context, project)) > 0) return undefined;
  return `The $${monthlyBudget} that jobs of this project may cost in a month are spent: raise the budget ${inSettings(`${project.id} --monthly-budget <dollars>`)}, or wait for the next month.`;
}

/** @throws ApiError `invalid` where the project lacks what a job needs */
function newJob({ id, settings }: LiveProject, prompt: string): NewJob {
  const [program] = settings.agentCommand ?? [];
  const model = program === undefined ? settings.model : basename(program);
  if (settings.repository === null) {
    throw new ApiError(
      'invalid',
      `The project has no repository to work on: set one ${inSettings(`${id} --repository <address>`)}.`,
    );
  }
  if (model === null) {
    throw new ApiError(
      'invalid',
      `The project has no model to work with: set one ${inSettings(`${id} --model <provider>/<model>`)}.`,
    );
  }
  return {
    // 62^24 is more than 2^142: nobody guesses one.
    id: `job_${randomText(24)}`,
    projectId: id,
    repository: settings.repository,
    ref: settings.ref,
    model,
    prompt,
  };
}

/** @throws ApiError `invalid` */
function readIdempotency(req: Request, prompt: string): Idempotency | null {
  const key = readIdempotencyKey(req);
  return key === null ? null : { key, requestHash: hash('sha256', prompt) };
}
