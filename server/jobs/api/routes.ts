import { hash } from 'node:crypto';
import type { Request } from 'express';
import { maxImagesBytes } from '../../../shared/jobs/image.ts';
import {
  eventsQuery,
  type JobPrompt,
  type JobReply,
  type JobRequest,
  type JobsQuery,
  type JobsReply,
  jobPrompt,
  jobRequest,
  jobsQuery,
  type SentImage,
} from '../../../shared/jobs/job.ts';
import { requestOf } from '../../../shared/jobs/recipes.ts';
import { addressOf, basePathOf } from '../../config/own-address.ts';
import type { Context } from '../../context.ts';
import { readIdempotencyKey } from '../../http/idempotency-key.ts';
import { type Call, type Route, route } from '../../http/route.ts';
import type { LiveProject } from '../../projects/registry.ts';
import type { Idempotency } from '../../store/idempotency.ts';
import type { Job } from '../../store/jobs/job.ts';
import { refuseSpending } from '../turn/spending.ts';
import { readEvents } from './events-route.ts';
import { imageRoute } from './image-route.ts';
import { newJob, refuseImages } from './new-job.ts';
import { acceptedJob, noJob, toReply } from './reply.ts';
import { revertMerge } from './revert.ts';
import { webhookRoute } from './webhook-route.ts';

/** 32,000 characters of at most twelve bytes each (two escapes of a surrogate pair), images in base64, and some room. */
const maxBodyBytes = 512 * 1024 + Math.ceil(maxImagesBytes / 3) * 4;

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
    scope: 'jobs',
    body: { schema: jobRequest, maxBytes: maxBodyBytes },
    summary: 'Create a job',
    description:
      'It is answered at once, and worked off in the background. 100 in any 60 minutes for each project.',
    headers: once,
    answers: { 201: { says: 'The new job', json: job, headers: { Location: 'Where it is followed.' } } },
    refusals: ['too_many'],
    tool: {
      name: 'start_job',
      title: 'Start a job',
      description:
        "Has an agent work on the project's repository: it changes content and opens a pull request. Answers at once; follow it with read_job.",
      without: ['images'],
    },
    handle: createJob,
  }),
  route({
    name: 'jobs.list',
    method: 'GET',
    path: `${base}/jobs`,
    access: 'project',
    scope: 'read',
    role: 'editor',
    query: jobsQuery,
    summary: 'List jobs, the newest first',
    answers: { 200: { says: 'A page of jobs', json: async () => (await replies()).jobsReply } },
    tool: {
      name: 'list_jobs',
      title: 'Jobs',
      description: 'Lists jobs, the newest first.',
    },
    handle: listJobs,
  }),
  route({
    name: 'jobs.read',
    method: 'GET',
    path: `${base}/job/:jobId`,
    access: 'project',
    scope: 'read',
    role: 'editor',
    summary: 'Read a job, to follow it',
    answers: { 200: { says: 'The job', json: job } },
    tool: {
      name: 'read_job',
      title: 'Job',
      description:
        'Shows a job: whether it is still active, its pull request (`prLink`), why it failed, or why nothing was changed (`noChange`). An active job takes minutes: ask again after some seconds.',
    },
    handle: readJob,
  }),
  route({
    name: 'jobs.events',
    method: 'GET',
    path: `${base}/job/:jobId/events`,
    access: 'project',
    scope: 'read',
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
    tool: {
      name: 'read_job_events',
      title: 'Transcript of a job',
      description: 'Lists what the agent of a job did and said, oldest first; `after` leads to what is new.',
      without: ['Last-Event-ID'],
    },
    handle: readEvents,
  }),
  route({
    name: 'jobs.message',
    method: 'POST',
    effect: 'changes',
    path: `${base}/job/:jobId/message`,
    access: 'project',
    scope: 'jobs',
    body: prompt,
    summary: 'Send a follow-up, handled in order',
    description: 'Another 100 in any 60 minutes for each project. Not possible once the job is archived.',
    headers: once,
    answers: { 200: { says: 'The job, active again', json: job } },
    refusals: ['too_many'],
    tool: {
      name: 'message_job',
      title: 'Follow-up to a job',
      description:
        'Sends a follow-up to a job, which goes on from its branch. Not possible once it is archived.',
      without: ['images'],
    },
    handle: addMessage,
  }),
  route({
    name: 'jobs.archive',
    method: 'POST',
    effect: 'ends',
    path: `${base}/job/:jobId/archive`,
    access: 'project',
    summary: 'End a job for good',
    description: 'Stops a turn that runs. Asked again, it answers the same.',
    answers: { 200: { says: 'The archived job', json: job } },
    tool: {
      name: 'archive_job',
      title: 'Archive a job',
      description: 'Ends a job for good, and stops what it is doing. This cannot be taken back.',
    },
    handle: archiveJob,
  }),
  route({
    name: 'jobs.revert',
    method: 'POST',
    effect: 'changes',
    path: `${base}/job/:jobId/revert`,
    access: 'project',
    scope: 'jobs',
    summary: 'Take back what a job has merged',
    description:
      'By another job, whose pull request git works out without a model. Asked again, it answers with that job, and has it look again where it rests. It counts to the jobs of the hour.',
    answers: { 200: { says: 'The job that takes it back', json: job } },
    refusals: ['invalid', 'too_many'],
    tool: {
      name: 'revert_job',
      title: 'Revert a job',
      description:
        'Opens a pull request that takes back what a job has merged, by another job, which is answered: follow it with read_job.',
    },
    handle: revertJob,
  }),
  imageRoute,
  webhookRoute,
];

async function createJob(
  context: Context,
  { project, body, req, res }: JobCall<undefined, JobRequest>,
): Promise<JobReply> {
  const { images, ...asked } = body;
  const { prompt = '', recipe, asDraft } = asked;
  // As it was before there were drafts and recipes, for requests that say nothing of them.
  const words = asDraft === undefined && recipe === undefined ? prompt : JSON.stringify(asked);
  const idempotency = readIdempotency(req, withFingerprints(words, images));
  const job = newJob(project, requestOf(body), { asDraft, images });
  const spent = await refuseSpending(context, project, job.model);
  const accepted = await context.store.jobs.createJob(job, idempotency, spent !== undefined);
  const created = acceptedJob(accepted, 'jobs', spent);
  res.location(addressOf(basePathOf(context.config), `/v2/agent/${project.id}/job/${created.id}`));
  return await withBaseBranch(context, project, created);
}

/** Only the first job of a repository lacks it. */
async function withBaseBranch(context: Context, project: LiveProject, job: Job): Promise<JobReply> {
  const reply = toReply(job);
  if (reply.source.ref !== '') return reply;
  // What talks to repositories is loaded where there is something to ask.
  const { askForBaseBranch } = await import('../turn/base-branch.ts');
  const signal = AbortSignal.timeout(context.timing.repositoryMs);
  const baseBranch = await askForBaseBranch(context, project, job, signal);
  return toReply({ ...job, baseBranch });
}

async function addMessage(
  context: Context,
  { project, body, req }: JobCall<undefined, JobPrompt>,
): Promise<JobReply> {
  const { prompt, images } = body;
  const idempotency = readIdempotency(req, withFingerprints(prompt, images));
  const jobId = String(req.params.jobId);
  const job = await context.store.jobs.findJob(project.id, jobId);
  if (!job) throw noJob();
  refuseImages(job.model, images);
  const spent = await refuseSpending(context, project, job.model);
  const isSpent = spent !== undefined;
  const { jobs } = context.store;
  const accepted = await jobs.addMessage(project.id, jobId, prompt, idempotency, isSpent, images);
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

async function revertJob({ store }: Context, { project, req }: JobCall): Promise<JobReply> {
  return toReply(await revertMerge(store.jobs, project.id, String(req.params.jobId)));
}

/** What a request asks for, in a form to compare; words alone stay as they are. */
function withFingerprints(words: string, images: readonly SentImage[]): string {
  if (images.length === 0) return words;
  return JSON.stringify([words, ...images.map(({ name, content }) => [name, hash('sha256', content)])]);
}

/** @throws ApiError `invalid` */
function readIdempotency(req: Request, prompt: string): Idempotency | null {
  const key = readIdempotencyKey(req);
  return key === null ? null : { key, requestHash: hash('sha256', prompt) };
}
