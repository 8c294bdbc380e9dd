import { Agent, type IncomingMessage, request } from 'node:http';
import type { ReportedEvent } from '../../../server/counting/event.ts';
import { sealDueDays } from '../../../server/ingest/sealing/sealer.ts';
import { type BatchReply, maxHitsPerBatch } from '../../../shared/hit.ts';
import type { TestClock } from '../clock.ts';
import type { Headcount } from '../headcount.ts';
import type { Dataset, DatasetDay, DatasetView } from './view.ts';

/** Times of a day at which people come, of days whose hours are looked at. */
const partsOfDay = 24;

/** Browsers that report at the same time. */
const connections = 96;

/**
 * Sends every view on its day: those of browsers one by one as the tracker does, with the proxy's word for where they come
 * from, the others as a site's server reports them. Days are sealed on the way, as they are in a server that runs for months.
 *
 * @throws Error for a view that does not meet its fate
 */
export async function sendDataset(
  headcount: Headcount,
  clock: TestClock,
  dataset: Dataset,
  eventOn: (view: DatasetView) => ReportedEvent | undefined = () => undefined,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  try {
    for (const day of dataset) {
      const from = (via: DatasetView['via']) => day.views.filter((view) => view.via === via);
      // Hours are kept of the last days alone.
      const parts = dataset.indexOf(day) < dataset.length - 2 ? 1 : partsOfDay;
      for (const [part, views] of splitInto(from('script'), parts).entries()) {
        const at = day.startMs + ((day.endsAtMs - day.startMs) * (part + 1)) / parts;
        clock.set(new Date(at).toISOString());
        await sealDueDays(headcount.context);
        await Promise.all(views.map((view) => sendFromBrowser(headcount, view, agent)));
        const done = views.filter((view) => eventOn(view));
        // What happens on a page comes after its view.
        if (done.length > 0) clock.advance(1000);
        await Promise.all(done.map((view) => sendFromBrowser(headcount, view, agent, eventOn(view))));
      }
      await sendReports(headcount, from('report'), day);
    }
    // Counters of what was not counted are written a second later.
    await headcount.context.ingest.drain();
  } finally {
    agent.destroy();
  }
}

/** Runs of about as many, one after the other. */
function splitInto<T>(all: readonly T[], parts: number): T[][] {
  return Array.from({ length: parts }, (_, part) =>
    all.slice((part * all.length) / parts, ((part + 1) * all.length) / parts),
  );
}

/** @throws Error for a view that does not meet its fate */
export async function sendFromBrowser(
  { url, projectId }: Pick<Headcount, 'url' | 'projectId'>,
  { fate, ...view }: DatasetView,
  agent: Agent,
  event?: ReportedEvent,
): Promise<void> {
  const body = JSON.stringify({
    p: projectId,
    u: view.url,
    r: view.referrer,
    a: view.signs,
    s: view.width && view.width >> 8,
    e: event?.name,
    v: event?.properties,
  });
  const headers = {
    'content-type': 'text/plain;charset=UTF-8',
    'user-agent': view.userAgent,
    'x-forwarded-for': view.address,
    ...(view.acceptLanguage !== undefined && { 'accept-language': view.acceptLanguage }),
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(`${url}/v1/hit`, { method: 'POST', agent, headers }, resolve);
    sent.on('error', reject).end(body);
  });
  response.resume();
  const { statusCode, headers: answered } = response;
  meet(view.url, fate, statusCode === 202 ? String(answered['x-headcount-dropped'] ?? '') : `${statusCode}`);
}

async function sendReports(headcount: Headcount, views: DatasetView[], day: DatasetDay): Promise<void> {
  for (let start = 0; start < views.length; start += maxHitsPerBatch) {
    const batch = views.slice(start, start + maxHitsPerBatch);
    const response = await headcount.hits(batch.map((view) => reportOf(view, day)));
    if (response.status !== 202) throw new Error(`A batch was answered ${response.status}.`);
    const reply = (await response.json()) as BatchReply;
    const reasons = new Map(reply.dropped.map(({ index, reason }) => [index, reason]));
    for (const [index, { url, fate }] of batch.entries()) meet(url, fate, reasons.get(index) ?? '');
  }
}

function reportOf({ url, address, userAgent, accept, hour = 0 }: DatasetView, day: DatasetDay): object {
  const at = day.startMs + ((day.endsAtMs - day.startMs) * hour) / 24;
  return {
    url,
    ip: address,
    userAgent,
    at: new Date(at).toISOString(),
    ...(accept !== undefined && { headers: { accept } }),
  };
}

function meet(url: string, { dropped }: DatasetView['fate'], answer: string): void {
  if (answer === (dropped ?? '')) return;
  throw new Error(`A view of ${url.slice(0, 100)} was to be "${dropped ?? ''}" and was "${answer}".`);
}
