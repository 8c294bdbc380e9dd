import type { ForgeKind } from '../../../shared/jobs/forge.ts';
import type { Repository } from '../../../shared/jobs/repository.ts';
import type { Credential } from '../credential.ts';
import { JobFailure } from '../failure.ts';
import { inSettings } from '../text/in-settings.ts';
import { bitbucket, loginOf } from './bitbucket.ts';
import { badCertificate, boundFetch, codeOf, type Fetch, isOfCertificate, throwIfPrivate } from './call.ts';
import type { Forge, ForgeApiOptions, ForgeDriver } from './forge.ts';
import { gitea } from './gitea.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { createForge } from './pull-requests.ts';

const drivers: Readonly<Record<ForgeKind, ForgeDriver>> = { gitea, gitlab, github, bitbucket };

export interface ForgeOptions extends Omit<ForgeApiOptions, 'apiUrl' | 'slug'> {
  kind: ForgeKind;
  repository: Repository;
  /** The base address of the forge's API, as the project is set; undefined: where this kind of forge usually has it. */
  apiUrl: string | undefined;
}

/** @throws JobFailure bad_forge, bad_repository */
export function openForge({ kind, repository, apiUrl, ...options }: ForgeOptions): Forge {
  const driver = drivers[kind];
  const url = parseApiUrl(apiUrl ?? driver.apiUrlOf(repository), repository);
  return createForge(driver.open({ ...options, apiUrl: url, slug: slugAt(url, repository) }));
}

/** What git signs in with where nothing else is asked of the code host. */
export function plainCredential({ host }: Repository, token: string): Credential {
  return bitbucket.knows(host) ? loginOf(token).git : { username: 'x-access-token', password: token };
}

/** The token goes there, so it must be as safe as the way to the repository. */
function parseApiUrl(address: string, repository: Repository): string {
  const url = URL.parse(address);
  const isHttp = url?.protocol === 'http:' && repository.origin.startsWith('http:');
  if (!url || !(isHttp || url.protocol === 'https:') || url.username || url.search || url.hash) {
    throw new JobFailure(
      'bad_forge',
      `The address of the code host's API must be its base, such as https://git.example.com/api/v1, not "${url ? `${url.origin}${url.pathname}` : 'no address'}": correct it ${inSettings('--forge-url')}.`,
    );
  }
  return url.href.replace(/\/+$/, '');
}

/** A forge below a path, such as https://example.com/gitlab/api/v4, has its repositories below the same path. */
function slugAt(apiUrl: string, repository: Repository): string {
  const { origin, pathname } = new URL(apiUrl);
  const folder = pathname.replace(/\/api\/v\d+$/, '').slice(1);
  const isBelow = origin === repository.origin && folder !== '' && repository.slug.startsWith(`${folder}/`);
  return isBelow ? repository.slug.slice(folder.length + 1) : repository.slug;
}

/**
 * What kind of code host a repository lives on, by its host name or by asking it; undefined: none that we know, and plain
 * git must do. No token is sent. @throws JobFailure network, when the host cannot be reached at all
 */
export async function detectForge(
  repository: Repository,
  { fetch, signal }: { fetch: Fetch; signal?: AbortSignal | undefined },
): Promise<ForgeKind | undefined> {
  const all = Object.entries(drivers) as [ForgeKind, ForgeDriver][];
  const [known] = all.find(([, driver]) => driver.knows(repository.host)) ?? [];
  if (known || repository.origin.startsWith('file:')) return known;
  const call = boundFetch({ fetch, signal });
  const answers = await Promise.allSettled(
    all.map(async ([, { probe }]) => {
      const response = await call(`${repository.origin}${probe.path}`, {
        headers: { 'user-agent': 'headcount' },
      });
      return probe.isIt(response, await response.text());
    }),
  );
  signal?.throwIfAborted();
  for (const answer of answers) {
    if (answer.status === 'rejected') throwIfPrivate(answer.reason, repository.origin);
  }
  if (answers.every(({ status }) => status === 'rejected')) {
    const code = answers
      .map((answer) => (answer.status === 'rejected' ? codeOf(answer.reason) : ''))
      .find(isOfCertificate);
    if (code !== undefined) throw badCertificate(repository.origin, code);
    throw new JobFailure(
      'network',
      `${repository.origin} could not be reached: check the address of the repository, or choose its code host ${inSettings('--forge')}.`,
    );
  }
  return all[answers.findIndex((answer) => answer.status === 'fulfilled' && answer.value)]?.[0];
}
