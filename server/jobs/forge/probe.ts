import { JobFailure } from '../failure.ts';
import type { Repository } from '../git/repository.ts';
import { boundFetch, type Fetch } from './call.ts';
import type { ForgeKind } from './forge.ts';

const knownHosts: Readonly<Record<string, ForgeKind>> = {
  'github.com': 'github',
  'gitlab.com': 'gitlab',
  'codeberg.org': 'gitea',
  'gitea.com': 'gitea',
};

interface Probe {
  kind: ForgeKind;
  path: string;
  isIt(response: Response, body: string): boolean;
}

/** Each answers without a token, if only to refuse in its own way. */
const probes: readonly Probe[] = [
  {
    kind: 'gitea',
    path: '/api/v1/version',
    isIt: ({ status }, body) => status === 200 && /^\s*\{\s*"version"\s*:/.test(body),
  },
  {
    kind: 'gitlab',
    path: '/api/v4/version',
    isIt: ({ headers }, body) =>
      headers.has('x-gitlab-meta') || /"message"\s*:\s*"401 Unauthorized"/.test(body),
  },
  {
    kind: 'github',
    path: '/api/v3/meta',
    isIt: ({ headers }) => headers.has('x-github-media-type') || headers.has('x-github-enterprise-version'),
  },
];

/**
 * What kind of code host a repository lives on, by its host name or by asking it; undefined: none that we know, and plain
 * git must do. No token is sent. @throws JobFailure network, when the host cannot be reached at all
 */
export async function detectForge(
  repository: Repository,
  { fetch, signal }: { fetch: Fetch; signal?: AbortSignal | undefined },
): Promise<ForgeKind | undefined> {
  const known = knownHosts[repository.host] ?? (repository.host.endsWith('.ghe.com') ? 'github' : undefined);
  if (known || repository.origin.startsWith('file:')) return known;
  const call = boundFetch({ fetch, signal });
  const answers = await Promise.allSettled(
    probes.map(async ({ path, isIt }) => {
      const response = await call(`${repository.origin}${path}`, { headers: { 'user-agent': 'headcount' } });
      return isIt(response, await response.text());
    }),
  );
  signal?.throwIfAborted();
  if (answers.every(({ status }) => status === 'rejected')) {
    throw new JobFailure(
      'network',
      `${repository.origin} could not be reached: check the address, or set --forge yourself.`,
    );
  }
  const at = answers.findIndex((answer) => answer.status === 'fulfilled' && answer.value);
  return probes[at]?.kind;
}
