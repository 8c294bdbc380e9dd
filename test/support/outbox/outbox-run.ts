import { expect, onTestFinished } from 'vitest';
import { sealDueDays } from '../../../server/ingest/sealing/sealer.ts';
import { Outbox } from '../../../server/outbox/outbox.ts';
import type { DeliveriesReply } from '../../../shared/outbox.ts';
import type { ProjectSettings } from '../../../shared/project/project.ts';
import { createClock, type TestClock } from '../clock.ts';
import { chromeUserAgent, type Headcount, startHeadcount } from '../headcount.ts';

export const gptBot =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)';

/** `whsec_` and 32 bytes. */
export const webhookSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

export interface OutboxRun {
  headcount: Headcount;
  clock: TestClock;
  /** Seals due days and sends due notifications, as a server does every minute; each call is another node. */
  look(): Promise<void>;
  /** Moves on to that time, and looks. */
  lookAt(time: string): Promise<void>;
  /** Views of pages at the present time, by people or by a client. */
  view(path: string, times?: number, userAgent?: string, referrer?: string): Promise<void>;
  /** Asks for a trial, and looks. */
  tryIt(): Promise<void>;
  change(patch: Partial<ProjectSettings> & { secrets?: Record<string, string | null> }): Promise<Response>;
  deliveries(): Promise<DeliveriesReply['deliveries']>;
}

interface Options {
  start: string;
  project?: Partial<ProjectSettings>;
  env?: Record<string, string>;
}

/** A server that may reach this machine's own addresses. */
export async function startOutboxRun({ start, project, env = {} }: Options): Promise<OutboxRun> {
  const clock = createClock(start);
  const headcount = await startHeadcount({
    now: clock.now,
    env: { HEADCOUNT_PRIVATE_NETWORKS: 'loopback', ...env },
    ...(project && { project }),
  });
  onTestFinished(() => headcount.stop());
  const { context, projectId } = headcount;
  const url = `${headcount.url}/v1/projects/${projectId}`;
  const headers = { authorization: `Bearer ${headcount.adminKey}`, 'content-type': 'application/json' };
  const look = async () => {
    await sealDueDays(context);
    await new Outbox(context).look();
  };
  return {
    headcount,
    clock,
    look,
    lookAt: (time) => {
      clock.set(time);
      return look();
    },
    view: async (path, times = 1, userAgent = chromeUserAgent, referrer) => {
      const hits = Array.from({ length: times }, (_, i) => ({
        url: `https://example.com${path}`,
        ip: `198.51.100.${i + 1}`,
        userAgent,
        ...(referrer !== undefined && { referrer }),
      }));
      const response = await headcount.hits(hits);
      if (response.status !== 202) throw new Error(await response.text());
    },
    tryIt: async () => {
      const { status } = await fetch(`${url}/deliveries`, { method: 'POST', headers });
      expect(status).toBe(202);
      await look();
    },
    change: (patch) => fetch(url, { method: 'PATCH', headers, body: JSON.stringify(patch) }),
    deliveries: async () => {
      const { deliveries } = await headcount.get<DeliveriesReply>(`/v1/projects/${projectId}/deliveries`);
      return deliveries;
    },
  };
}
