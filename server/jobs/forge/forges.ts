import type { ForgeKind } from '../../../shared/jobs/forge.ts';
import type { Repository } from '../../../shared/jobs/repository.ts';
import type { Credential } from '../credential.ts';
import { JobFailure } from '../failure.ts';
import { inSettings } from '../text/in-settings.ts';
import { bitbucket } from './bitbucket.ts';
import {
  badCertificate,
  boundFetch,
  codeOf,
  type Fetch,
  isOfCertificate,
  type Signal,
  throwIfPrivate,
} from './call.ts';
import type { Forge, ForgeApiOptions, ForgeDriver } from './forge.ts';
import { gitea } from './gitea.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { createForge } from './pull-requests.ts';
import type { Webhook } from './webhook.ts';

/**
 * All that are known: a new one is a file, a line here, and its name in shared/jobs/forge.ts. The first that takes a webhook
 * for its own decides, and Gitea signs in the way of GitHub, too, and GitHub in a weaker way of Bitbucket.
 */
export const drivers: Drivers<ForgeKind> = { github, gitea, bitbucket, gitlab };

type Drivers<Kind extends string> = Readonly<Record<Kind, ForgeDriver>>;

export interface ForgeOptions<Kind extends string = ForgeKind>
  extends Omit<ForgeApiOptions, 'apiUrl' | 'slug'> {
  kind: Kind;
  repository: Repository;
  /** The base address of the forge's API, as the project is set; undefined: where this kind of forge usually has it. */
  apiUrl: string | undefined;
}

/** @throws JobFailure bad_forge, bad_repository */
export function openForge<Kind extends string = ForgeKind>(
  { kind, repository, apiUrl, ...options }: ForgeOptions<Kind>,
  known: Drivers<Kind> = drivers as Drivers<string>,
): Forge {
  const driver = known[kind];
  const url = parseApiUrl(apiUrl ?? driver.apiUrlOf(repository), repository);
  return createForge(driver.open({ ...options, apiUrl: url, slug: slugAt(url, repository) }));
}

/** What git signs in with where nothing else is asked of the code host. */
export function plainCredential({ host }: Repository, token: string): Credential {
  const driver = Object.values(drivers).find(({ knows }) => knows(host));
  return driver?.credential?.(token) ?? { username: 'x-access-token', password: token };
}

/** Whether a webhook comes from somebody who has the secret. A wrong signature is not made good by one of another kind. */
export function isSigned(webhook: Webhook, known: Drivers<string> = drivers): boolean {
  for (const { isSigned } of Object.values(known)) {
    const isOurs = isSigned?.(webhook);
    if (isOurs !== undefined) return isOurs;
  }
  return false;
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
export async function detectForge<Kind extends string = ForgeKind>(
  repository: Repository,
  { fetch, signal }: { fetch: Fetch; signal?: Signal },
  known: Drivers<Kind> = drivers as Drivers<string>,
): Promise<Kind | undefined> {
  const all = Object.entries(known) as [Kind, ForgeDriver][];
  const [named] = all.find(([, driver]) => driver.knows(repository.host)) ?? [];
  if (named || repository.origin.startsWith('file:')) return named;
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
