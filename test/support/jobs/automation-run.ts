import { onTestFinished } from 'vitest';
import type { Proofs } from '../../../server/identity/proof/proof.ts';
import { AutomationWatch } from '../../../server/jobs/automation/automation-watch.ts';
import type { SiteFilesOptions } from '../../../server/sitefiles/site-files.ts';
import type { AutomationReply, RunsReply } from '../../../shared/jobs/automation.ts';
import type { JobReply } from '../../../shared/jobs/job.ts';
import type { ProjectSettings } from '../../../shared/project/project.ts';
import { createClock, type TestClock } from '../clock.ts';
import { type Headcount, startHeadcount } from '../headcount.ts';

export interface AutomationRun {
  headcount: Headcount;
  clock: TestClock;
  /** Starts what is due, as a server does every minute; each call is another node. */
  look(): Promise<void>;
  /** Moves on to that time, and looks. */
  lookAt(time: string): Promise<void>;
  add(automation: object): Promise<AutomationReply>;
  change(id: string, patch: object): Promise<AutomationReply>;
  send(method: string, path: string, body?: object): Promise<Response>;
  list(): Promise<AutomationReply[]>;
  runs(id: string): Promise<RunsReply['runs']>;
  /** The oldest first. */
  jobs(): Promise<JobReply[]>;
  archive(id: string): Promise<void>;
  set(settings: Partial<ProjectSettings>): Promise<void>;
  /** What the job was asked. */
  promptOf(jobId: string | undefined): Promise<string>;
}

interface Options {
  start: string;
  project?: Partial<ProjectSettings>;
  env?: Record<string, string>;
  siteOptions?: SiteFilesOptions;
  /** Of the machine, where it differs from the clock. */
  uptime?: () => number;
  proofs?: Proofs;
}

export const workable = { repository: 'https://git.example/ada/site', model: 'openai/gpt-scripted' };

/** A server whose jobs wait, at a time of one's own. */
export async function startAutomationRun({ start, project, ...options }: Options): Promise<AutomationRun> {
  const clock = createClock(start);
  const headcount = await startHeadcount({
    now: clock.now,
    project: { ...workable, ...project },
    ...options,
  });
  onTestFinished(() => headcount.stop());
  return { clock, ...automationClient(headcount), lookAt: lookAt(headcount, clock) };
}

const lookAt =
  ({ context }: Headcount, clock: TestClock) =>
  async (time: string): Promise<void> => {
    clock.set(time);
    await new AutomationWatch(context).look();
  };

export function automationClient(headcount: Headcount): Omit<AutomationRun, 'clock' | 'lookAt'> {
  const { url, projectId, adminKey, context, get } = headcount;
  const base = `/v2/agent/${projectId}`;
  const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' };
  const send: AutomationRun['send'] = (method, path, body) =>
    fetch(`${url}${base}/${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const must = async (response: Response): Promise<AutomationReply> => {
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as AutomationReply;
  };
  return {
    headcount,
    look: () => new AutomationWatch(context).look(),
    send,
    add: async (automation) => must(await send('POST', 'automations', automation)),
    change: async (id, patch) => must(await send('PATCH', `automations/${id}`, patch)),
    list: async () => (await get<{ automations: AutomationReply[] }>(`${base}/automations`)).automations,
    runs: async (id) => (await get<RunsReply>(`${base}/automations/${id}/runs`)).runs,
    jobs: async () => (await get<{ jobs: JobReply[] }>(`${base}/jobs?limit=100`)).jobs.toReversed(),
    archive: async (id) => {
      await send('POST', `job/${id}/archive`);
    },
    set: async (settings) => {
      const response = await fetch(`${url}/v1/projects/${projectId}`, {
        ...{ method: 'PATCH', headers, body: JSON.stringify(settings) },
      });
      if (!response.ok) throw new Error(await response.text());
    },
    promptOf: async (jobId) => {
      const { events } = await get<{ events: { data: { text: string } }[] }>(
        `${base}/job/${jobId}/events?limit=1`,
      );
      return events[0]?.data.text ?? '';
    },
  };
}
