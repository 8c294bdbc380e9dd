import { isDeepStrictEqual } from 'node:util';
import type { LiveReply } from '../../shared/reports/replies.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { AnalyticsStore } from '../store/counts/analytics.ts';
import { recentMs } from '../store/nodes.ts';
import { askedOf, sayIncluded } from './filters.ts';
import type { latelyMeasured } from './measured.ts';

const minutes = 30;
const minuteMs = 60_000;
const rows = 10;
/** Between two readings of a project, however many look at it. */
const everyMs = 2_000;
/** Where reading takes long, the pause is so many times as long, up to a limit. */
const pauses = 4;
const maxPauseMs = 10_000;
const keptMs = 60_000;

interface Kept {
  reply: Promise<LiveReply>;
  last: LiveReply | undefined;
  /** By `performance.now()`. */
  until: number;
}

interface Parts {
  store: AnalyticsStore;
  measured: ReturnType<typeof latelyMeasured>;
  now: () => number;
}

/** Who is there now: read once for all who look at a project. What has not changed is the same object. */
export function liveVisitors({ store, measured, now }: Parts) {
  const kept = new Map<string, Kept>();

  async function read({ id, calendar, settings }: LiveProject): Promise<LiveReply> {
    const at = now();
    const { pastCountries } = askedOf(store, id, settings);
    const today = calendar.dayOf(at);
    const from = calendar.dayOf(at - minutes * minuteMs);
    const asked = { projectId: id, from, to: today + 1, now: at, recentMs, minutes, limit: rows };
    const [{ visitors, lists, perMinute, isIncluding }, couldBe] = await Promise.all([
      store.readLive({ ...asked, countries: pastCountries }),
      measured.read(store, id, today, at),
    ]);
    return {
      ...{ visitors, perMinute, measured: couldBe },
      ...(isIncluding && sayIncluded(settings)),
      paths: lists.path.map(({ name: path, ...count }) => ({ path, ...count })),
      sources: lists.source.map(({ name: source, ...count }) => ({ source, ...count })),
      countries: lists.country.map(({ name: country, ...count }) => ({ country, ...count })),
      clients: lists.client.map(({ name: client, ...count }) => ({ client, ...count })),
    };
  }

  return {
    async read(project: LiveProject): Promise<LiveReply> {
      const startedAt = performance.now();
      const before = kept.get(project.id);
      if (before && startedAt < before.until) return before.reply;
      for (const [id, { until }] of kept) if (until + keptMs < startedAt) kept.delete(id);
      const entry: Kept = { reply: read(project), last: before?.last, until: Number.POSITIVE_INFINITY };
      entry.reply = entry.reply.then(
        (reply) => {
          const readAt = performance.now();
          entry.until = readAt + Math.min(maxPauseMs, Math.max(everyMs, (readAt - startedAt) * pauses));
          entry.last = isDeepStrictEqual(reply, entry.last) ? entry.last : reply;
          return entry.last as LiveReply;
        },
        (error: unknown) => {
          kept.delete(project.id);
          throw error;
        },
      );
      kept.set(project.id, entry);
      return entry.reply;
    },
  };
}
