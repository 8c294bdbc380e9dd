import type { Request } from 'express';
import type { EventsQuery, EventsReply } from '../../../shared/jobs/job.ts';
import type { Context } from '../../context.ts';
import { ApiError } from '../../errors.ts';
import type { Call } from '../../http/route.ts';
import type { EventStream, Step } from './event-streams.ts';
import { noJob } from './reply.ts';

const pageSize = 100;

/** `GET …/job/{id}/events`: the transcript, as a list or as a stream that goes on while the job does. */
export async function readEvents(
  context: Context,
  { project, query, req, res, mayGoOn }: Call<'project', EventsQuery>,
): Promise<EventsReply | undefined> {
  const projectId = project.id;
  const jobId = String(req.params.jobId);
  const job = await context.store.jobs.findJob(projectId, jobId);
  if (!job) throw noJob();
  res.vary('Accept');
  if (req.accepts(['application/json', 'text/event-stream']) !== 'text/event-stream') {
    return readList(context, { projectId, jobId, ...query });
  }
  const after = readLastEventId(req) ?? query.after;
  const [next] = (await context.store.jobs.readEvents(projectId, jobId, after, 1)) ?? [];
  if (job.status !== 'active' && !next) {
    // By the specification of EventSource this, and nothing else, keeps it from connecting again.
    res.status(204).end();
  } else if (req.method === 'HEAD') {
    res.type('text/event-stream').end();
  } else {
    const follow = followJob(context, { projectId, jobId, after, mayGoOn });
    await context.eventStreams.run(res, follow, (ring) => listenTo(context, jobId, ring));
  }
  return undefined;
}

async function readList(
  { store }: Context,
  { projectId, jobId, after, limit }: { projectId: string; jobId: string; after: number; limit: number },
): Promise<EventsReply> {
  const events = await store.jobs.readEvents(projectId, jobId, after, limit + 1);
  if (!events) throw noJob();
  return { events: events.slice(0, limit), hasMore: events.length > limit };
}

/** @throws ApiError `invalid` */
function readLastEventId(req: Request): number | undefined {
  const text = req.get('last-event-id')?.trim();
  if (text === undefined || text === '') return undefined;
  if (!/^\d{1,15}$/.test(text)) {
    throw new ApiError('invalid', 'Last-Event-ID must be the id of an event of this job: a whole number.');
  }
  return Number(text);
}

function listenTo({ store }: Context, jobId: string, ring: () => void): () => void {
  return store.jobs.onNews((news) => {
    if (news === null || news.jobId === jobId) ring();
  });
}

interface Followed extends Pick<Call<'project'>, 'mayGoOn'> {
  projectId: string;
  jobId: string;
  after: number;
}

/** Ends once the job rests and all is sent, when it is gone, or when the key does not cover it any more. */
function followJob(context: Context, { projectId, jobId, after, mayGoOn }: Followed): Step {
  let last = after;
  const { jobs } = context.store;
  return async (stream) => {
    if (!mayGoOn()) return 'end';
    // The status first: what ended a job is written together with its last event.
    const job = await jobs.findJob(projectId, jobId);
    if (!job) return 'end';
    last = await sendNew(context, stream, { projectId, jobId, after: last });
    if (job.status === 'active') return 'more';
    await stream.send({ type: 'end', data: { status: job.status } });
    return 'end';
  };
}

/** Returns the number of the last event sent. */
async function sendNew(
  { store }: Context,
  stream: EventStream,
  { projectId, jobId, after }: { projectId: string; jobId: string; after: number },
): Promise<number> {
  let last = after;
  for (let size = pageSize; size === pageSize && !stream.signal.aborted; ) {
    const events = (await store.jobs.readEvents(projectId, jobId, last, pageSize)) ?? [];
    for (const event of events) {
      await stream.send({ id: event.number, data: event });
      last = event.number;
    }
    size = events.length;
  }
  return last;
}
