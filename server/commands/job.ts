import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type JobsQuery, jobRequest, jobsQuery } from '../../shared/jobs/job.ts';
import { recipeNames, requestOf } from '../../shared/jobs/recipes.ts';
import { escapeLine } from '../../shared/plain-text.ts';
import { ApiError } from '../errors.ts';
import { readTrouble } from '../files/file-trouble.ts';
import { parse } from '../http/parse.ts';
import { newJob } from '../jobs/api/new-job.ts';
import { acceptedJob, toReply } from '../jobs/api/reply.ts';
import { revertMerge } from '../jobs/api/revert.ts';
import { refuseSpending } from '../jobs/turn/spending.ts';
import { program } from '../process/program.ts';
import type { Job } from '../store/jobs/job.ts';
import type { JobEvent } from '../store/jobs/job-event.ts';
import type { Store } from '../store/store.ts';
import { runAction } from './terminal/actions.ts';
import { type Command, CommandError, type Terminal } from './terminal/command.ts';
import { readOptions } from './terminal/options.ts';
import { table } from './terminal/table.ts';
import { unknownProject } from './terminal/unknown-project.ts';
import { withStore } from './terminal/with-store.ts';

const pollMs = 500;
const pageSize = 100;

async function start(args: string[], terminal: Terminal): Promise<void> {
  const options = {
    prompt: { type: 'string' },
    recipe: { type: 'string' },
    image: { type: 'string', multiple: true },
    draft: { type: 'boolean' },
    json: { type: 'boolean' },
  } as const;
  const { values, positionals } = readOptions(args, options, ['project']);
  const { recipe } = values;
  const images = (values.image ?? []).map(readImage);
  const text = values.prompt ?? (recipe === undefined ? await terminal.readInput() : undefined);
  await withStore(terminal, async (store) => {
    const project = await findProject(store, positionals[0]);
    const job = await refusing(async () => {
      const asked = parse(jobRequest, { prompt: text, recipe, images }, 'The job');
      const wanted = newJob(project, requestOf(asked), { asDraft: values.draft, images: asked.images });
      const spent = await refuseSpending({ store, now: terminal.now }, project, wanted.model);
      return acceptedJob(await store.jobs.createJob(wanted, null, spent !== undefined), 'jobs', spent);
    });
    const follow = `follow it with "${program} job follow ${project.id} ${job.id}"`;
    terminal.print(
      values.json
        ? `${JSON.stringify(toReply(job))}\n`
        : `Job ${job.id} waits for a running server: ${follow}.\n`,
    );
  });
}

/** As the API takes it. @throws CommandError */
function readImage(file: string): { name: string; content: string } {
  try {
    return { name: basename(file), content: readFileSync(file, 'base64') };
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${readTrouble(error as Error)}.`, { cause: error });
  }
}

async function list(args: string[], terminal: Terminal): Promise<void> {
  const options = {
    status: { type: 'string' },
    limit: { type: 'string' },
    json: { type: 'boolean' },
  } as const;
  const { values, positionals } = readOptions(args, options, ['project']);
  const { json, ...query } = values;
  await withStore(terminal, async (store) => {
    const { id: projectId } = await findProject(store, positionals[0]);
    const wanted: JobsQuery = await refusing(async () => parse(jobsQuery, query, 'The list'));
    const { status = null, limit, offset } = wanted;
    const { jobs } = await store.jobs.listJobs({ projectId, status, limit, offset });
    terminal.print(json ? `${JSON.stringify(jobs.map(toReply))}\n` : describeJobs(jobs));
  });
}

function describeJobs(jobs: readonly Job[]): string {
  if (jobs.length === 0) return 'There is no such job.\n';
  return table(
    ['JOB', 'STATUS', 'CREATED', 'PULL REQUEST'],
    jobs
      .map(toReply)
      .map(({ id, status, createdAt, prLink }) => [
        ...[id, status, createdAt.slice(0, 16).replace('T', ' ')],
        prLink ?? '',
      ]),
  );
}

async function show(args: string[], terminal: Terminal): Promise<void> {
  await withJob(args, terminal, async (_store, job, json) => {
    terminal.print(json ? `${JSON.stringify(toReply(job))}\n` : describeJob(job));
  });
}

function describeJob(job: Job): string {
  const {
    id,
    status,
    model,
    branch,
    prLink,
    merged,
    reverts,
    failure,
    noChange,
    usage,
    startedBy,
    createdAt,
  } = toReply(job);
  const cached = usage?.cachedTokens ? ` (${usage.cachedTokens} from the cache)` : '';
  const tokens =
    usage && `${usage.steps} steps, ${usage.inputTokens} tokens in${cached}, ${usage.outputTokens} out`;
  const cost = usage?.cost ? `, $${usage.cost.toFixed(2)}` : '';
  const facts = [
    ['Job', id],
    ['Status', status],
    ['Created', createdAt],
    ['Started by', startedBy && `the ${startedBy.kind} "${startedBy.name}"`],
    ['Model', model],
    ['Branch', branch],
    ['Pull request', prLink && merged ? `${prLink} (merged)` : prLink],
    ['Takes back', reverts],
    ['Used', tokens && tokens + cost],
    ['No change', noChange],
    ['Failure', failure?.message],
  ].flatMap(([name = '', value]) => (value ? [`${`${name}:`.padEnd(14)}${escapeLine(value)}\n`] : []));
  return facts.join('');
}

/** Ends with the job's turn, as a script wants it: 1 where it failed. */
async function follow(args: string[], terminal: Terminal): Promise<void> {
  await withJob(args, terminal, async (store, { projectId, id }, json) => {
    const stopped = terminal.untilStopped().then(() => true);
    for (let last = 0, isStopped = false; !isStopped; ) {
      // The status first: what ended a job is written together with its last event.
      const job = await findJob(store, projectId, id);
      last = await printNew(store, job, last, (event) =>
        terminal.print(json ? `${JSON.stringify(event)}\n` : describeEvent(event)),
      );
      if (job.status === 'failed')
        throw new CommandError(`The job failed: ${escapeLine(job.failure?.message ?? '')}`);
      if (job.status !== 'active') return;
      isStopped = await Promise.race([stopped, pause(pollMs, false)]);
    }
  });
}

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

async function archive(args: string[], terminal: Terminal): Promise<void> {
  await withJob(args, terminal, async (store, { projectId, id }, json) => {
    const job = await store.jobs.archiveJob(projectId, id);
    if (!job) throw noSuchJob(id);
    terminal.print(json ? `${JSON.stringify(toReply(job))}\n` : `Job ${id} was archived.\n`);
  });
}

async function revert(args: string[], terminal: Terminal): Promise<void> {
  await withJob(args, terminal, async (store, { projectId, id }, json) => {
    const job = await refusing(() => revertMerge(store.jobs, projectId, id));
    const follow = `follow it with "${program} job follow ${projectId} ${job.id}"`;
    terminal.print(
      json
        ? `${JSON.stringify(toReply(job))}\n`
        : `Job ${job.id} takes back what job ${id} has merged, once a server runs: ${follow}.\n`,
    );
  });
}

async function withJob(
  args: string[],
  terminal: Terminal,
  use: (store: Store, job: Job, json: boolean) => Promise<void>,
): Promise<void> {
  const { values, positionals } = readOptions(args, { json: { type: 'boolean' } }, ['project', 'job']);
  const [projectId, jobId = ''] = positionals;
  await withStore(terminal, async (store) => {
    const project = await findProject(store, projectId);
    await use(store, await findJob(store, project.id, jobId), values.json === true);
  });
}

async function findProject(store: Store, projectId = '') {
  const { projects } = await store.directory();
  const project = projects.find(({ id }) => id === projectId);
  if (!project) throw unknownProject(projectId);
  return project;
}

async function findJob(store: Store, projectId: string, jobId: string): Promise<Job> {
  const job = await store.jobs.findJob(projectId, jobId);
  if (!job) throw noSuchJob(jobId);
  return job;
}

function noSuchJob(jobId: string): CommandError {
  return new CommandError(
    `There is no job ${jobId} in this project: "${program} job list" shows those there are.`,
  );
}

/** What the API refuses is refused here in the same words. @throws CommandError */
async function refusing<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw error instanceof ApiError ? new CommandError(error.message) : error;
  }
}

const actions = { start, list, show, follow, revert, archive };

export const jobCommand: Command = {
  help: `Usage: headcount job start <project> [--prompt <text>] [--recipe <name>] [--image <file>]...
                           [--draft] [--json]
       headcount job list <project> [--status <status>] [--limit <number>] [--json]
       headcount job show <project> <job> [--json]
       headcount job follow <project> <job> [--json]
       headcount job revert <project> <job> [--json]
       headcount job archive <project> <job> [--json]

A job has an agent work on the project's repository, and ends in a pull request. A running server
works on it. "follow" prints what happens until the job rests, and ends with 1 where it failed.
"revert" opens a pull request that takes back what the job's newest one has merged, by another job.

  --prompt <text>        what the agent shall do; otherwise it is read from standard input
  --recipe <name>        in place of a prompt, or before it:
                         ${recipeNames.slice(0, 3).join(', ')},
                         ${recipeNames.slice(3).join(', ')}
  --image <file>         a PNG, JPEG, GIF or WebP that the agent sees and may put into the site; may be
                         given several times
  --draft                open the pull request as a draft
  --status <status>      only jobs that are active, completed, failed or archived
  --limit <number>       how many at most, the newest first (20)
  --json                 print the result as JSON, for programs; of "follow" one line for each event
`,
  run: (args, terminal) => runAction('job', actions, args, terminal),
};
