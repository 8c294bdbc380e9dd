import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { imageTypes, maxImagesBytes } from '../../shared/jobs/image.ts';
import {
  eventsQuery,
  eventsReply,
  type JobReply,
  jobPrompt,
  jobReply,
  jobRequest,
  jobsQuery,
  jobsReply,
  type SentImage,
} from '../../shared/jobs/job.ts';
import { recipeNames, requestOf } from '../../shared/jobs/recipes.ts';
import { escapeLine } from '../../shared/plain-text.ts';
import { CommandError } from '../commands/terminal/command.ts';
import { table } from '../commands/terminal/table.ts';
import { withStore } from '../commands/terminal/with-store.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import { readTrouble } from '../files/file-trouble.ts';
import { readIdempotencyKey } from '../http/idempotency-key.ts';
import { type Call, route } from '../http/route.ts';
import { readEvents } from '../jobs/api/events-route.ts';
import { newJob, refuseImages } from '../jobs/api/new-job.ts';
import { acceptedJob, noJob, toReply } from '../jobs/api/reply.ts';
import { webhookRoute } from '../jobs/api/webhook-route.ts';
import { revertingJob } from '../jobs/turn/reverting-job.ts';
import { refuseSpending } from '../jobs/turn/spending.ts';
import { program } from '../process/program.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { Job } from '../store/jobs/job.ts';
import type { OpenTurn, StopNote } from '../store/jobs/jobs.ts';
import type { JobEvent } from '../store/jobs/transcript.ts';
import type { Store } from '../store/store.ts';
import { commandOf, findProject, type OwnAction } from './command.ts';
import { operation, type Typed } from './operation.ts';

/** 32,000 characters of at most twelve bytes each (two escapes of a surrogate pair), images in base64, and some room. */
const maxBytes = 512 * 1024 + Math.ceil(maxImagesBytes / 3) * 4;

const base = '/v2/agent/:projectId';
const reading = { access: 'project', scope: 'read', role: 'editor' } as const;
const once = {
  'Idempotency-Key':
    'Makes it safe to send it again within 24 hours: the same key and prompt answer with the same job.',
};

const reply = jobReply;

/** The content of a request, in a form to compare; a text alone stays as it is. @throws ApiError `invalid` */
function idempotencyOf(
  headers: Parameters<typeof readIdempotencyKey>[0]['headers'],
  words: string,
  images: readonly SentImage[],
) {
  const key = readIdempotencyKey({ headers });
  if (key === null) return null;
  const prints = images.map(({ name, content }) => [name, hash('sha256', content)]);
  const asked = images.length === 0 ? words : JSON.stringify([words, ...prints]);
  return { key, requestHash: hash('sha256', asked) };
}

/** @throws ApiError `not_found` */
async function findJob({ jobs }: Store, projectId: string, jobId = ''): Promise<Job> {
  const job = await jobs.findJob(projectId, jobId);
  if (!job) throw noJob();
  return job;
}

/** Only the first job of a repository lacks it. */
async function withBaseBranch(job: Job, context: Context, project: LiveProject): Promise<JobReply> {
  const shown = toReply(job);
  if (shown.source.ref !== '') return shown;
  // The code for repositories is loaded only when it is needed.
  const { askForBaseBranch } = await import('../jobs/turn/base-branch.ts');
  const signal = AbortSignal.timeout(context.timing.repositoryMs);
  return toReply({ ...job, baseBranch: await askForBaseBranch(context, project, job, signal) });
}

/** As the API takes it. @throws CommandError */
function readImage(file: string): { name: string; content: string } {
  try {
    return { name: basename(file), content: readFileSync(file, 'base64') };
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${readTrouble(error as Error)}.`, { cause: error });
  }
}

const followed = ({ id }: JobReply | Job, { operands }: Pick<Typed<never>, 'operands'>) =>
  `follow it with "${program} job follow ${operands.project} ${id}"`;

const create = operation({
  name: 'jobs.create',
  method: 'POST',
  path: `${base}/job`,
  access: 'project',
  scope: 'jobs',
  body: { schema: jobRequest, maxBytes },
  summary: 'Create a job',
  description:
    'It is answered at once, and worked off in the background. 100 in any 60 minutes for each project.',
  headers: once,
  answers: { 201: { says: 'The new job', json: reply, headers: { Location: 'Where it is followed.' } } },
  refusals: ['too_many'],
  tool: {
    name: 'start_job',
    title: 'Start a job',
    description:
      "Has an agent work on the project's repository: it changes content and opens a pull request. Answers at once; follow it with read_job.",
    without: ['images'],
  },
  async run({ store, now, entries }, { project, body, headers }) {
    const { images, ...asked } = body;
    const { prompt = '', recipe, asDraft } = asked;
    // As it was before there were drafts and recipes, for requests that say nothing of them.
    const words = asDraft === undefined && recipe === undefined ? prompt : JSON.stringify(asked);
    const idempotency = idempotencyOf(headers, words, images);
    const job = newJob(project, requestOf(body), { asDraft, images });
    const spent = await refuseSpending({ store, now }, project, job.model);
    const started = entries({ action: 'job.started', projectId: project.id, subject: job.id });
    const args = [job, idempotency, spent !== undefined] as const;
    return acceptedJob(await store.callAudited('jobs', 'createJob', [...args], started), 'jobs', spent);
  },
  location: ({ id }, { project }) => `/v2/agent/${project.id}/job/${id}`,
  reply: withBaseBranch,
  command: {
    name: 'job start',
    options: {
      prompt: {
        type: 'string',
        value: 'text',
        says: 'what the agent shall do; otherwise it is read from standard input',
      },
      recipe: {
        type: 'string',
        value: 'name',
        says: `in place of a prompt, or before it:\n${recipeNames.slice(0, 3).join(', ')},\n${recipeNames.slice(3).join(', ')}`,
      },
      image: {
        type: 'string',
        multiple: true,
        value: 'file',
        says: 'a PNG, JPEG, GIF or WebP that the agent sees and may put into the site; may be\ngiven several times',
      },
      draft: { type: 'boolean', says: 'open the pull request as a draft' },
    },
    async read({ values: { prompt, recipe, image = [], draft } }, terminal) {
      const images = image.map(readImage);
      const text = prompt ?? (recipe === undefined ? await terminal.readInput() : undefined);
      return { body: { prompt: text, recipe, images, asDraft: draft } };
    },
    json: toReply,
    print: (job, typed) => `Job ${job.id} waits for a running server: ${followed(job, typed)}.\n`,
  },
});

const list = operation({
  name: 'jobs.list',
  method: 'GET',
  path: `${base}/jobs`,
  ...reading,
  query: jobsQuery,
  summary: 'List jobs, the newest first',
  answers: { 200: { says: 'A page of jobs', json: jobsReply } },
  tool: {
    name: 'list_jobs',
    title: 'Jobs',
    description: 'Lists jobs, the newest first.',
  },
  async run({ store }, { project, query: { status = null, limit, offset } }) {
    const { jobs, hasMore } = await store.jobs.listJobs({ projectId: project.id, status, limit, offset });
    return { jobs: jobs.map(toReply), hasMore };
  },
  command: {
    name: 'job list',
    options: {
      status: {
        type: 'string',
        value: 'status',
        says: 'only jobs that are active, completed, failed or archived',
      },
      limit: { type: 'string', value: 'number', says: 'how many at most, the newest first (20)' },
    },
    read: ({ values: { status, limit } }) => ({ query: { status, limit } }),
    json: ({ jobs }) => jobs,
    print({ jobs }, { values: { status } }) {
      if (jobs.length === 0) return status === undefined ? 'There are no jobs.\n' : `No job is ${status}.\n`;
      const rows = jobs.map(({ id, status, createdAt, prLink }) => [
        ...[id, status, createdAt.slice(0, 16).replace('T', ' ')],
        prLink ?? '',
      ]);
      return table(['JOB', 'STATUS', 'CREATED', 'PULL REQUEST'], rows);
    },
  },
});

const read = operation({
  name: 'jobs.read',
  method: 'GET',
  path: `${base}/job/:jobId`,
  ...reading,
  summary: 'Read a job, to follow it',
  answers: { 200: { says: 'The job', json: reply } },
  tool: {
    name: 'read_job',
    title: 'Job',
    description:
      'Shows a job: whether it is still active, its pull request (`prLink`), why it failed, or why nothing was changed (`noChange`). An active job takes minutes: ask again after some seconds.',
  },
  run: async ({ store }, { project, params: { jobId } }) => toReply(await findJob(store, project.id, jobId)),
  command: { name: 'job show', print: describe },
});

function describe(job: JobReply): string {
  const { merged, prLink, usage, startedBy } = job;
  const cached = usage?.cachedTokens ? ` (${usage.cachedTokens} from the cache)` : '';
  const tokens =
    usage && `${usage.steps} steps, ${usage.inputTokens} tokens in${cached}, ${usage.outputTokens} out`;
  const cost = usage?.cost ? `, $${usage.cost.toFixed(2)}` : '';
  const facts = [
    ['Job', job.id],
    ['Status', job.stopped ? `${job.status} (stopped)` : job.status],
    ['Created', job.createdAt],
    ['Started by', startedBy && `the ${startedBy.kind} "${startedBy.name}"`],
    ['Model', job.model],
    ['Branch', job.branch],
    ['Pull request', prLink && merged ? `${prLink} (merged)` : prLink],
    ['Takes back', job.reverts],
    ['Used', tokens && tokens + cost],
    ['No change', job.noChange],
    ['Failure', job.failure?.message],
  ].flatMap(([name = '', value]) => (value ? [`${`${name}:`.padEnd(14)}${escapeLine(value)}\n`] : []));
  return facts.join('');
}

const events = route({
  name: 'jobs.events',
  method: 'GET',
  path: `${base}/job/:jobId/events`,
  ...reading,
  query: eventsQuery,
  summary: "Read or follow a job's transcript",
  description:
    'A list, or with `Accept: text/event-stream` a stream that goes on while the job does, and closes with an event `end`.',
  headers: { 'Last-Event-ID': 'Of a stream that broke off: it goes on after this event.' },
  answers: {
    200: {
      says: 'A part of the transcript, or a stream',
      json: eventsReply,
      types: ['text/event-stream'],
    },
    204: { says: 'The job is not active, so there is nothing to follow' },
  },
  refusals: ['overloaded'],
  tool: {
    name: 'read_job_events',
    title: 'Transcript of a job',
    description: 'Lists what the agent of a job did and said, oldest first; `after` leads to what is new.',
    without: ['Last-Event-ID'],
  },
  handle: readEvents,
});

const pollMs = 500;
const pageSize = 100;

/** Ends with the job's turn, as a script wants it: 1 where it failed. */
const follow: OwnAction = {
  name: 'job follow',
  effect: 'reads',
  operands: ['project', 'job'],
  run: ({ operands, values: { json } }, terminal) =>
    withStore(terminal, async (store) => {
      const { id: projectId } = await findProject(store, operands.project);
      const stopped = terminal.untilStopped().then(() => true);
      for (let last = 0, isStopped = false; !isStopped; ) {
        // The status first: what ended a job is written together with its last event.
        const job = await findJob(store, projectId, operands.job);
        last = await printNew(store, job, last, (event) =>
          terminal.print(json ? `${JSON.stringify(event)}\n` : describeEvent(event)),
        );
        if (job.status === 'failed')
          throw new CommandError(`The job failed: ${escapeLine(job.failure?.message ?? '')}`);
        if (job.status !== 'active') return;
        isStopped = await Promise.race([stopped, pause(pollMs, false)]);
      }
    }),
};

async function printNew(
  store: Store,
  { projectId, id }: Job,
  after: number,
  print: (event: JobEvent) => void,
): Promise<number> {
  let last = after;
  for (let size = pageSize; size === pageSize; ) {
    const events = (await store.jobs.readEvents(projectId, id, last, pageSize)) ?? [];
    for (const event of events) print(event);
    last = events.at(-1)?.number ?? last;
    size = events.length;
  }
  return last;
}

/** In one line; what an agent said may have several. */
function describeEvent({ at, type, data }: JobEvent): string {
  const words = data.message ?? data.text ?? data.phase ?? `${data.tool} ${data.input}`;
  const line = String(words).replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
  return `${at.slice(11, 19)} ${type.padEnd(9)} ${line}\n`;
}

const message = operation({
  name: 'jobs.message',
  method: 'POST',
  effect: 'changes',
  path: `${base}/job/:jobId/message`,
  access: 'project',
  scope: 'jobs',
  body: { schema: jobPrompt, maxBytes },
  summary: 'Send a follow-up, handled in order',
  description: 'Another 100 in any 60 minutes for each project. Not possible once the job is archived.',
  headers: once,
  answers: { 200: { says: 'The job, active again', json: reply } },
  refusals: ['too_many'],
  tool: {
    name: 'message_job',
    title: 'Follow-up to a job',
    description:
      'Sends a follow-up to a job, which goes on from its branch. Not possible once it is archived.',
    without: ['images'],
  },
  async run({ store, now, entries }, { project, params: { jobId }, body: { prompt, images }, headers }) {
    const idempotency = idempotencyOf(headers, prompt, images);
    const { id, model } = await findJob(store, project.id, jobId);
    refuseImages(model, images);
    const spent = await refuseSpending({ store, now }, project, model);
    const continued = entries({ action: 'job.continued', projectId: project.id, subject: id });
    const args = [project.id, id, prompt, idempotency, spent !== undefined, images] as const;
    const accepted = await store.callAudited('jobs', 'addMessage', [...args], continued);
    return toReply(acceptedJob(accepted, 'messages', spent));
  },
});

const stop = operation({
  name: 'jobs.stop',
  method: 'POST',
  effect: 'changes',
  path: `${base}/job/:jobId/stop`,
  access: 'project',
  scope: 'jobs',
  summary: 'Stop the agent of a job',
  description:
    'Ends the running turn and drops the messages that wait. The next message continues the job and delivers what was committed; one that arrives while the job is being stopped does so at once. A job that is not active stays as it is.',
  answers: { 200: { says: 'The job, which is at rest unless a message just arrived', json: reply } },
  tool: {
    name: 'stop_job',
    title: 'Stop a job',
    description:
      'Stops the agent of a job and drops the messages that wait. The job goes on when it is sent a message.',
  },
  async run({ store, entries }, { project: { id: projectId }, params: { jobId } }) {
    const found = await findJob(store, projectId, jobId);
    if (found.status !== 'active') return toReply(found);
    const { id } = found;
    const stopped = entries({ action: 'job.stopped', projectId, subject: id });
    const notes = await notesOfStop(await store.jobs.listOpenTurns(projectId, id));
    const job = await store.callAudited('jobs', 'stopJob', [projectId, id, notes], stopped);
    if (!job) throw noJob();
    return toReply(job);
  },
  command: {
    name: 'job stop',
    print: ({ id, status, stopped }) =>
      status === 'active'
        ? `Job ${id} was stopped, and goes on with a message that arrived meanwhile.\n`
        : `Job ${id} ${stopped ? 'was stopped' : 'is not active'}.\n`,
  },
});

/** What the agent is to know when the job goes on. */
async function notesOfStop(turns: readonly OpenTurn[]): Promise<StopNote[]> {
  // The AI SDK, to which the form of messages belongs, is loaded only when it is needed.
  const { noteMessage, userMessage } = await import('../jobs/agent/message.ts');
  const note = noteMessage('this turn was stopped, and none of its changes were kept.');
  return turns.map(({ number, prompt }) => ({ number, asked: userMessage(prompt), note }));
}

const archive = operation({
  name: 'jobs.archive',
  method: 'POST',
  effect: 'ends',
  path: `${base}/job/:jobId/archive`,
  access: 'project',
  summary: 'End a job permanently',
  description: 'Stops a running turn. A repeated request gets the same answer.',
  answers: { 200: { says: 'The archived job', json: reply } },
  tool: {
    name: 'archive_job',
    title: 'Archive a job',
    description: 'Ends a job permanently, and stops its current turn. This cannot be undone.',
  },
  async run({ store, entries }, { project: { id: projectId }, params: { jobId } }) {
    const { id, status } = await findJob(store, projectId, jobId);
    const archived = entries({ action: 'job.archived', projectId, subject: id });
    const noted = status === 'archived' ? [] : archived;
    const job = await store.callAudited('jobs', 'archiveJob', [projectId, id], noted);
    if (!job) throw noJob();
    return toReply(job);
  },
  command: { name: 'job archive', print: ({ id }) => `Job ${id} was archived.\n` },
});

const revert = operation({
  name: 'jobs.revert',
  method: 'POST',
  effect: 'changes',
  path: `${base}/job/:jobId/revert`,
  access: 'project',
  scope: 'jobs',
  summary: 'Revert the merged changes of a job',
  description:
    'Starts another job, whose pull request git makes without a model. A repeated request returns that job, and starts it again if it is not active. It counts towards the jobs of the hour.',
  answers: { 200: { says: 'The job that reverts it', json: reply } },
  refusals: ['invalid', 'too_many'],
  tool: {
    name: 'revert_job',
    title: 'Revert a job',
    description:
      'Opens a pull request that reverts the merged changes of a job. This is a job of its own, which is returned: follow it with read_job.',
  },
  async run({ store, by }, { project, params: { jobId } }) {
    const job = await findJob(store, project.id, jobId);
    const { prLink } = job;
    if (prLink === null) {
      throw new ApiError('invalid', 'The job has no pull request, so there is nothing to revert.');
    }
    // Only there it is known which job it is.
    const asked = await store.jobs.revertMerge(revertingJob(job, prLink), null, by());
    if (asked.kind === 'known') throw new Error('Only comments are known.');
    return toReply(acceptedJob(asked, 'jobs', undefined));
  },
  command: {
    name: 'job revert',
    print: (job, typed) =>
      `Job ${job.id} reverts the merged changes of job ${typed.operands.job}, once a server runs: ${followed(job, typed)}.\n`,
  },
});

/** Jobs that an agent does in the background. */
/** An image that came with a prompt, as it was sent: `GET …/job/{id}/image/{number}`. */
const imageRoute = route({
  name: 'jobs.image',
  method: 'GET',
  path: '/v2/agent/:projectId/job/:jobId/image/:imageNumber',
  access: 'project',
  scope: 'read',
  role: 'editor',
  summary: 'Read an image that came with a prompt',
  answers: { 200: { says: 'The image', types: imageTypes } },
  refusals: ['not_found'],
  handle: sendImage,
});

async function sendImage({ store }: Context, { project, req, res }: Call<'project'>): Promise<void> {
  const { jobId, imageNumber: number } = req.params;
  const image = /^[1-9]\d{0,8}$/.test(String(number))
    ? await store.jobs.findImage(project.id, String(jobId), Number(number))
    : null;
  if (!image) throw new ApiError('not_found', 'There is no such image: the transcript has their numbers.');
  res
    .type(image.type)
    // Whatever else it may be to a browser, it runs nothing.
    .set('Content-Security-Policy', "default-src 'none'; sandbox")
    .send(Buffer.from(image.content));
}

export const jobOperations = [
  create,
  list,
  read,
  events,
  message,
  stop,
  archive,
  revert,
  imageRoute,
  webhookRoute,
];

export const jobCommand = commandOf(
  {
    name: 'job',
    about: `A job has an agent work on the project's repository, and ends in a pull request. A running server
works on it. "follow" prints what happens until the job rests, and ends with 1 where it failed.
"revert" starts a job that opens a pull request which reverts the job's newest merged one.
`,
    json: '; of "follow" one line for each event',
  },
  [...jobOperations, follow],
);
