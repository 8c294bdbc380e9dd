import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { JobReply } from '../../../shared/jobs/job.ts';
import type { ServerProcess } from '../child.ts';
import { createJob, finish, type Outside, obey, type PreparedProject, slug, until } from './job-run.ts';
import { jobClient } from './jobs.ts';
import type { ModelReply, Script } from './model/model-server.ts';

/** A model that never answers the request of this number. */
export function silentAt(silent: number): Script {
  return ({ body }, index): ModelReply => (index === silent ? { hang: true } : obey(body));
}

interface Moment {
  name: string;
  /** Something outside that stops answering at that moment: a request that waits. */
  fault?: { on: RegExp; hang?: true; hangAfter?: true };
  /** Or the model, at its request of that number. */
  silent?: number;
  /** Requests to the model in all, over both processes. */
  requests: number;
}

const moments: Moment[] = [
  { name: 'claimed', fault: { on: /upload-pack/, hang: true }, requests: 2 },
  { name: 'pinned, the agent about to begin', silent: 0, requests: 3 },
  { name: 'pinned, the agent at work', silent: 1, requests: 3 },
  { name: 'committed', fault: { on: /receive-pack/, hang: true }, requests: 2 },
  { name: 'pushed without knowing', fault: { on: /^POST .*receive-pack/, hangAfter: true }, requests: 2 },
  { name: 'pushed', fault: { on: /^GET .*\/pulls/, hang: true }, requests: 2 },
  { name: 'opened without knowing', fault: { on: /^POST .*\/pulls/, hangAfter: true }, requests: 2 },
];

/** Has a project and a site of its own, by which its requests are recognised. */
const sites = moments.map((moment, i) => ({ ...moment, slug: `${slug}-${i}`, content: `Hello, ${i}.` }));

type Site = (typeof sites)[number];

const isOf = ({ content }: Site, body: object) => JSON.stringify(body).includes(content);

/** For all moments: a turn at each at once. */
export const roomForAll = {
  HEADCOUNT_MAX_JOBS: String(sites.length),
  HEADCOUNT_MAX_JOBS_PER_PROJECT: '1',
};

/** A model that never answers at the moments at which it is to be silent. */
export function silentAtMoments(): Script {
  const asked = new Map<Site, number>();
  return ({ body }) => {
    const site = sites.find((one) => isOf(one, body)) as Site;
    const before = asked.get(site) ?? 0;
    asked.set(site, before + 1);
    return before === site.silent ? { hang: true } : obey(body);
  };
}

/** Makes the sites. @returns the settings of their projects */
export function makeSites({ forge, settings }: Outside): Promise<Outside['settings'][]> {
  return Promise.all(
    sites.map(async (site) => ({
      ...settings,
      repository: await forge.git.copyRepository(slug, site.slug),
    })),
  );
}

/** A job for each moment, which is paused there when this resolves. @returns their ids */
export async function stopAtMoments(
  url: string,
  projects: readonly PreparedProject[],
  { forge, model }: Outside,
): Promise<string[]> {
  for (const { slug, fault } of sites) {
    if (fault) forge.git.faults.push({ ...fault, on: inSite(slug, fault.on) });
  }
  const jobs = await Promise.all(
    sites.map(({ content }, i) =>
      createJob(jobClient(url, projects[i] as PreparedProject), `write page.md ${content}`),
    ),
  );
  const isSilent = (site: Site) =>
    site.silent === undefined ||
    model.requests.filter(({ body }) => isOf(site, body)).length === site.silent + 1;
  await until(async () => forge.git.faults.length === 0 && sites.every(isSilent), Boolean);
  // What hangs after its work has that much time to do it.
  await pause(1_000);
  return jobs.map(({ id }) => id);
}

const inSite = (slug: string, { source }: RegExp) => new RegExp(`^(?=.*/${slug}[./]).*?(?:${source})`);

/** That each job comes to its end on this server, with one commit and one pull request. */
export async function expectOneDeliveryOfEach(
  url: string,
  projects: readonly PreparedProject[],
  ids: readonly string[],
  { forge, model }: Outside,
): Promise<void> {
  const delivered = await Promise.all(
    sites.map(async (site, i) => {
      const id = ids[i] as string;
      const job: JobReply = await finish(jobClient(url, projects[i] as PreparedProject), id);
      return {
        name: site.name,
        status: job.status,
        pulls: (await forge.list(site.slug)).length,
        commits: (await forge.git.log(site.slug, `headcount/${id}`)).length - 1,
        page: await forge.git.read(site.slug, `headcount/${id}`, 'page.md'),
        requests: model.requests.filter(({ body }) => isOf(site, body)).length,
      };
    }),
  );
  expect(delivered).toEqual(
    sites.map(({ name, content, requests }) => ({
      name,
      status: 'completed',
      pulls: 1,
      commits: 1,
      page: `${content}\n`,
      requests,
    })),
  );
}

export async function kill(server: ServerProcess): Promise<void> {
  server.signal('SIGKILL');
  await server.ended;
}
