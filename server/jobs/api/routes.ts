import { hash } from 'node:crypto';
import { basename } from 'node:path';
import { type Request, type Response, Router } from 'express';
import { type JobsReply, jobPrompt, jobsQuery } from '../../../shared/job.ts';
import type { Context } from '../../context.ts';
import { ApiError } from '../../errors.ts';
import { authorizedProject } from '../../http/authorize.ts';
import { jsonBody } from '../../http/json-body.ts';
import { onlyMethods } from '../../http/methods.ts';
import { parse } from '../../http/parse.ts';
import { randomText } from '../../projects/key.ts';
import type { LiveProject } from '../../projects/registry.ts';
import type { Idempotency, NewJob } from '../../store/job-store.ts';
import { handleEvents } from './events-route.ts';
import { acceptedJob, noJob, sendJob, toReply } from './reply.ts';

/** 32,000 characters of at most twelve bytes each (two escapes of a surrogate pair), and some room. */
const maxBodyBytes = 512 * 1024;

type Handler = (context: Context, req: Request, res: Response) => Promise<void>;

/** `/v2/agent/{projectId}/…`: jobs that an agent works off in the background. */
export function jobRoutes(context: Context): Router {
  const router = Router();
  const get = (path: string, handle: Handler) =>
    router
      .route(`/:projectId/${path}`)
      .get((req, res) => handle(context, req, res))
      .all(onlyMethods('GET', 'HEAD'));
  const post = (path: string, handle: Handler) =>
    router
      .route(`/:projectId/${path}`)
      // A body is read only from those who may send one.
      .post((req, _res, next) => {
        authorizedProject(context, req);
        next();
      })
      .post(...jsonBody(maxBodyBytes), (req, res) => handle(context, req, res))
      .all(onlyMethods('POST'));

  post('job', createJob);
  get('jobs', listJobs);
  get('job/:jobId', readJob);
  get('job/:jobId/events', handleEvents);
  post('job/:jobId/message', addMessage);
  router
    .route('/:projectId/job/:jobId/archive')
    .post((req, res) => archiveJob(context, req, res))
    .all(onlyMethods('POST'));
  return router;
}

async function createJob(context: Context, req: Request, res: Response): Promise<void> {
  const project = authorizedProject(context, req);
  const { prompt } = parse(jobPrompt, req.body ?? {}, 'The body');
  const idempotency = readIdempotency(req, prompt);
  const job = newJob(project, prompt, context.now());
  const accepted = await context.store.jobs.createJob(job, context.now(), idempotency);
  const created = acceptedJob(accepted, 'jobs');
  context.jobNews.tell({ kind: 'queued', jobId: created.id });
  res.status(201).location(`/v2/agent/${project.id}/job/${created.id}`);
  sendJob(res, created);
}

async function addMessage(context: Context, req: Request, res: Response): Promise<void> {
  const { id } = authorizedProject(context, req);
  const { prompt } = parse(jobPrompt, req.body ?? {}, 'The body');
  const idempotency = readIdempotency(req, prompt);
  const jobId = String(req.params.jobId);
  const accepted = await context.store.jobs.addMessage(id, jobId, prompt, context.now(), idempotency);
  const job = acceptedJob(accepted, 'messages');
  context.jobNews.tell({ kind: 'queued', jobId });
  sendJob(res, job);
}

async function readJob(context: Context, req: Request, res: Response): Promise<void> {
  const { id } = authorizedProject(context, req);
  const job = await context.store.jobs.findJob(id, String(req.params.jobId));
  if (!job) throw noJob();
  sendJob(res, job);
}

async function listJobs(context: Context, req: Request, res: Response): Promise<void> {
  const { id } = authorizedProject(context, req);
  const { status = null, limit, offset } = parse(jobsQuery, req.query, 'The query');
  const { jobs, hasMore } = await context.store.jobs.listJobs({ projectId: id, status, limit, offset });
  res.set('Cache-Control', 'no-store').json({ jobs: jobs.map(toReply), hasMore } satisfies JobsReply);
}

async function archiveJob(context: Context, req: Request, res: Response): Promise<void> {
  const { id } = authorizedProject(context, req);
  const jobId = String(req.params.jobId);
  const job = await context.store.jobs.archiveJob(id, jobId, context.now());
  if (!job) throw noJob();
  context.jobNews.tell({ kind: 'archived', jobId });
  sendJob(res, job);
}

/** @throws ApiError `invalid` where the project lacks what a job needs */
function newJob({ id, settings }: LiveProject, prompt: string, now: number): NewJob {
  const [program] = settings.agentCommand ?? [];
  const model = program === undefined ? settings.model : basename(program);
  if (settings.repository === null) {
    throw new ApiError(
      'invalid',
      `The project has no repository to work on: set one with "headcount project set ${id} --repository <address>".`,
    );
  }
  if (model === null) {
    throw new ApiError(
      'invalid',
      `The project has no model to work with: set one with "headcount project set ${id} --model <provider>/<model>".`,
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
