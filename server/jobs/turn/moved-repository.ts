import { auditing, projectChanged, theServer } from '../../audit/audit-list.ts';
import type { LiveProject } from '../../projects/registry.ts';
import type { Forge } from '../forge/forge.ts';
import { parseRepository, type Repository } from '../git/repository.ts';
import type { JobServices } from './services.ts';

type MoveServices = Pick<JobServices, 'config' | 'store' | 'registry' | 'log' | 'now'>;

/**
 * Follows a repository that its code host has sent on from, with all jobs of the project and with its setting.
 * @returns the address that it has now; undefined where that is not known
 */
export async function followMove(
  services: MoveServices,
  project: LiveProject,
  { repository, forge, signal }: { repository: Repository; forge: Forge | undefined; signal: AbortSignal },
): Promise<string | undefined> {
  const identity = await forge?.identify(signal).catch(() => undefined);
  const found = identity && addressOf(services, repository, identity.slug);
  if (!found || found.url === repository.url) return undefined;
  await services.registry.refresh();
  const live = services.registry.project(project.id);
  if (!live) return undefined;
  const { settings } = live;
  const { protocols } = services.config.jobs.git;
  const present = settings.repository ?? '';
  const slugs = { from: repository.slug, to: found.slug };
  await services.store.jobs.moveJobs(project.id, present, found.url, slugs);
  if (present !== '' && parseRepository(present, protocols).url === repository.url) {
    const next = { ...settings, repository: found.url };
    const noted = auditing(theServer, services.now).entries(...projectChanged(live, next));
    await services.store.callAudited('projects', 'setProject', [project.id, next], noted);
    await services.registry.refresh();
  }
  services.log.info(
    `The repository ${repository.url} is at ${found.url} now: the project ${project.id} follows.`,
  );
  return found.url;
}

/** Whether two addresses at one code host lead to the same repository; if so, its jobs are at the present one from now on. */
export async function isSameByNow(
  services: Pick<JobServices, 'store'>,
  projectId: string,
  {
    earlier,
    present,
    open,
    signal,
  }: {
    earlier: { address: string; repository: Repository };
    present: { address: string; repository: Repository };
    open: (repository: Repository) => Forge | undefined;
    signal: AbortSignal;
  },
): Promise<boolean> {
  if (earlier.repository.origin !== present.repository.origin) return false;
  const [before, now] = await Promise.all(
    [earlier, present].map(({ repository }) =>
      open(repository)
        ?.identify(signal)
        .catch(() => undefined),
    ),
  );
  if (!before || before.id !== now?.id) return false;
  const slugs = { from: earlier.repository.slug, to: present.repository.slug };
  await services.store.jobs.moveJobs(projectId, earlier.address, present.address, slugs);
  return true;
}

/** At the same code host, to which alone the token may go. */
function addressOf(
  { config }: Pick<JobServices, 'config'>,
  { url, slug }: Repository,
  to: string,
): Repository | undefined {
  const end = /\.git$/.exec(url)?.[0] ?? '';
  const named = `${encodeURI(slug)}${end}`;
  const isPath = to.split('/').every((name) => /^[\w.-]{1,200}$/.test(name) && !/^\.+$/.test(name));
  if (!url.endsWith(`/${named}`) || !isPath) return undefined;
  return parseRepository(`${url.slice(0, -named.length)}${to}${end}`, config.jobs.git.protocols);
}
