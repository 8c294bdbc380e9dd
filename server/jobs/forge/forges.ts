import { JobFailure } from '../failure.ts';
import type { Repository } from '../git/repository.ts';
import type { Fetch } from './call.ts';
import type { Forge, ForgeKind } from './forge.ts';
import { Gitea } from './gitea.ts';
import { Github, type GithubOptions } from './github.ts';
import { Gitlab } from './gitlab.ts';

export interface ForgeOptions {
  kind: ForgeKind;
  repository: Repository;
  /** The base address of the forge's API (`--forge-url`); undefined: where this kind of forge usually has it. */
  apiUrl: string | undefined;
  auth: GithubOptions['auth'];
  fetch: Fetch;
  /** Milliseconds since 1970. */
  now: () => number;
}

/** @throws JobFailure bad_forge, bad_repository */
export function openForge({ kind, repository, apiUrl, auth, fetch, now }: ForgeOptions): Forge {
  const url = parseApiUrl(apiUrl ?? usualApiUrl(kind, repository), repository);
  const slug = slugOf(repository, url);
  if (kind === 'github') return new Github({ apiUrl: url, ...ownerAndName(slug), auth, fetch, now });
  if (auth.kind === 'app') {
    throw new JobFailure(
      'bad_forge',
      'Only GitHub has Apps: set a token with "headcount project set --forge-token-stdin".',
    );
  }
  const { token } = auth;
  switch (kind) {
    case 'gitlab':
      return new Gitlab({ apiUrl: url, slug, token, fetch, now });
    case 'gitea':
      return new Gitea({ apiUrl: url, ...ownerAndName(slug), token, fetch, now });
    default:
      return kind satisfies never;
  }
}

/** Where each kind of forge has its API, with and without a domain of its own for it. */
function usualApiUrl(kind: ForgeKind, { origin, host }: Repository): string {
  if (kind === 'gitlab') return `${origin}/api/v4`;
  if (kind === 'gitea') return `${origin}/api/v1`;
  if (host === 'github.com') return 'https://api.github.com';
  if (host.endsWith('.ghe.com')) return `https://api.${host}`;
  return `${origin}/api/v3`;
}

/** The token goes there, so it must be as safe as the way to the repository. */
function parseApiUrl(address: string, repository: Repository): string {
  const url = URL.parse(address);
  const isHttp = url?.protocol === 'http:' && repository.origin.startsWith('http:');
  if (!url || !(isHttp || url.protocol === 'https:') || url.username || url.search || url.hash) {
    throw new JobFailure(
      'bad_forge',
      `The forge's address must be the base of its API, such as https://git.example.com/api/v1, and is "${url ? `${url.origin}${url.pathname}` : 'no address'}": set it with --forge-url.`,
    );
  }
  return url.href.replace(/\/+$/, '');
}

/** A forge below a path, such as https://example.com/gitlab/api/v4, has its repositories below the same path. */
function slugOf(repository: Repository, apiUrl: string): string {
  const { origin, pathname } = new URL(apiUrl);
  const folder = pathname.replace(/\/api\/v\d+$/, '').slice(1);
  const isBelow = origin === repository.origin && folder !== '' && repository.slug.startsWith(`${folder}/`);
  return isBelow ? repository.slug.slice(folder.length + 1) : repository.slug;
}

function ownerAndName(slug: string): { owner: string; name: string } {
  const [owner = '', name = '', ...more] = slug.split('/');
  if (owner !== '' && name !== '' && more.length === 0) return { owner, name };
  throw new JobFailure(
    'bad_repository',
    `The address of the repository must end in an owner and a name, and ends in "${slug}": correct it, or set --forge-url if the forge lies below a path.`,
  );
}
