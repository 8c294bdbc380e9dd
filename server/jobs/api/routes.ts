import { hash } from 'node:crypto';
import { basename } from 'node:path';
import type { Request } from 'express';
import {
  eventsQuery,
  type JobPrompt,
  type JobsQuery,
  type JobsReply,
  jobPrompt,
  jobsQuery,
} from '../../../shared/job.ts';
import type { Context } from '../../context.ts';
import { ApiError } from '../../errors.ts';
import { type Call, type Route, route } from '../../http/route.ts';
import { randomText } from '../../projects/key.ts';
import type { LiveProject } from '../../projects/registry.ts';
import type { Idempotency, NewJob } from '../../store/job-store.ts';
import { inSettings } from '../text/in-settings.ts';
import { readEvents } from './events-route.ts';
import { acceptedJob, noJob, sendJob, toReply } from './reply.ts';

/** 32,000 characters of at most twelve bytes each (two escapes of a surrogate pair), and some room. */
const maxBodyBytes = 512 * 1024;

type JobCall<Query = undefined, Body = undefined> = Call<'project', Query, Body>;

const base = '/v2/agent/:projectId';
const prompt = { schema: jobPrompt, maxBytes: maxBodyBytes };

/** Jobs that an agent works off in the background. */
export const jobRoutes: readonly Route[] = [
  route({
    name: 'jobs.create',
    method: 'POST',
    path: `${base}/job`,
    access: 'project',
    body: prompt,
    handle: createJob,
  }),
  route({
    name: 'jobs.list',
    method: 'GET',
    path: `${base}/jobs`,
    access: 'project',
    query: jobsQuery,
    handle: listJobs,
  }),
  route({
    name: 'jobs.read',
    method: 'GET',
    path: `${base}/job/:jobId`,
    access: 'project',
    handle: readJob,
  }),
  route({
    name: 'jobs.events',
    method: 'GET',
    path: `${base}/job/:jobId/events`,
    access: 'project',
    query: eventsQuery,
    handle: readEvents,
  }),
  route({
    name: 'jobs.message',
    method: 'POST',
    path: `${base}/job/:jobId/message`,
    access: 'project',
    body: prompt,
    handle: addMessage,
  }),
  route({
    name: 'jobs.archive',
    method: 'POST',
    path: `${base}/job/:jobId/archive`,
    access: 'project',
    handle: archiveJob,
  }),
];

async function createJob(
  { store, now, jobNews }: Context,
  { project, body, req, res }: JobCall<undefined, JobPrompt>,
): Promise<void> {
  const idempotency = readIdempotency(req, body.prompt);
  const job = newJob(project, body.prompt, now());
  const created = acceptedJob(await store.jobs.createJob(job, now(), idempotency), 'jobs');
  jobNews.tell({ kind: 'queued', jobId: created.id });
  res.status(201).location(`/v2/agent/${project.id}/job/${created.id}`);
  sendJob(res, created);
}

async function addMessage(
  { store, now, jobNews }: Context,
  { project, body, req, res }: JobCall<undefined, JobPrompt>,
): Promise<void> {
  const idempotency = readIdempotency(req, body.prompt);
  const jobId = String(req.params.jobId);
  const accepted = await store.jobs.addMessage(project.id, jobId, body.prompt, now(), idempotency);
  const job = acceptedJob(accepted, 'messages');
  jobNews.tell({ kind: 'queued', jobId });
  sendJob(res, job);
}

async function readJob({ store }: Context, { project, req, res }: JobCall): Promise<void> {
  const job = await store.jobs.findJob(project.id, String(req.params.jobId));
  if (!job) throw noJob();
  sendJob(res, job);
}

async function listJobs({ store }: Context, { project, query, res }: JobCall<JobsQuery>): Promise<void> {
  const { status = null, limit, offset } = query;
  const { jobs, hasMore } = await store.jobs.listJobs({ projectId: project.id, status, limit, offset });
  res.json({ jobs: jobs.map(toReply), hasMore } satisfies JobsReply);
}

async function archiveJob({ store, now, jobNews }: Context, { project, req, res }: JobCall): Promise<void> {
  const jobId = String(req.params.jobId);
  const job = await store.jobs.archiveJob(project.id, jobId, now());
  if (!job) throw noJob();
  jobNews.tell({ kind: 'archived', jobId });
  sendJob(res, job);
}

/** @throws ApiError `invalid` where the project lacks what a job needs */
function newJob({ id, settings }: LiveProject, prompt: string, now: number): NewJob {
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
    createdAt: new Date(now).toISOString(),
  };
}

/** https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header @throws ApiError `invalid` */
function readIdempotency(req: Request, prompt: string): Idempotency | null {
  const key = req.get('idempotency-key');
  if (key === undefined) return null;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new ApiError('invalid', 'The Idempotency-Key must have 1 to 255 visible ASCII characters.');
  }
  return { key, requestHash: hash('sha256', prompt) };
}
