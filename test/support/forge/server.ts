import { hash } from 'node:crypto';
import { mkdir, rename } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname } from 'node:path';
import type { ForgeKind } from '../../../shared/jobs/forge.ts';
import { type GitServer, type GitServerOptions, secretOf, startGitServer } from '../git/git-server.ts';
import {
  type ForgeRecord,
  type ForgeServerOptions,
  idOf,
  type MergeStyle,
  type NewPull,
  type Pull,
} from './api.ts';
import { answerBitbucket } from './bitbucket.ts';
import { type CheckDouble, type NewPosted, type Posted, toPosted } from './comments.ts';
import { answerGitea } from './gitea.ts';
import { answerGithub, answerGraphql } from './github.ts';
import { GithubAppDouble } from './github-app.ts';
import { githubDescription } from './github-description.ts';
import { answerGitlab } from './gitlab.ts';

const prefixes: Readonly<Record<ForgeKind, string>> = {
  github: '/api/v3',
  gitlab: '/api/v4',
  gitea: '/api/v1',
  bitbucket: '/api/2.0',
};
const answers = {
  github: answerGithub,
  gitlab: answerGitlab,
  gitea: answerGitea,
  bitbucket: answerBitbucket,
};

/**
 * A git server with the APIs of GitHub, GitLab, Gitea and Bitbucket, on one address. Its answers come from the real
 * branches; GitHub's are checked against GitHub's own description, and `violations` holds what did not fit.
 */
export class ForgeServer implements ForgeRecord {
  readonly git: GitServer;
  readonly options: ForgeServerOptions;
  readonly pulls: Pull[] = [];
  readonly violations: string[] = [];
  readonly checks = new Map<string, CheckDouble[]>();
  readonly defaultReviewers: string[] = [];
  /** Whom the code host asks for a review as it opens a pull request, by rules of its own. */
  readonly asksByItself: string[] = [];
  readonly ids = new Map<string, number>();
  /** Of repositories that were renamed: where they were, and where they are. */
  readonly #moved = new Map<string, string>();
  pagesComments = false;
  /** Requests that were answered with nothing new. */
  unchanged = 0;
  readonly app: GithubAppDouble;
  readonly description = githubDescription;
  /** By which comments are dated. */
  now: () => number = Date.now;

  constructor(git: GitServer, options: ForgeServerOptions, app: GithubAppDouble) {
    this.git = git;
    this.options = options;
    this.app = app;
  }

  apiUrl(name: ForgeKind): string {
    return `${this.git.origin}${prefixes[name]}`;
  }

  /** Requests to one API, as "METHOD /path?query" below its address. */
  requestsTo(name: ForgeKind): string[] {
    const prefix = prefixes[name];
    return this.git.requests.flatMap((request) => {
      const [method = '', path = ''] = request.split(' ');
      return path.startsWith(prefix) ? [`${method} ${path.slice(prefix.length)}`] : [];
    });
  }

  /** Pull requests of a repository with their newest head commits. */
  async list(slug: string): Promise<Pull[]> {
    const refs = await this.git.refs(slug);
    const pulls = this.pulls.filter((pull) => pull.slug === slug);
    for (const pull of pulls) {
      if (pull.state === 'open') pull.headCommit = refs[`refs/heads/${pull.head}`] ?? pull.headCommit;
    }
    return pulls.toReversed();
  }

  async find(slug: string, number: number): Promise<Pull | undefined> {
    return (await this.list(slug)).find((pull) => pull.number === number);
  }

  async filesOf({ slug, files, base, headCommit }: Pull): Promise<string[]> {
    if (files) return files;
    const listed = await this.git.git(slug, ['diff', '--name-only', `${base}...${headCommit}`]);
    return listed.split('\n').filter(Boolean);
  }

  async open(pull: NewPull): Promise<Pull> {
    const refs = await this.git.refs(pull.slug);
    const number = this.pulls.filter(({ slug }) => slug === pull.slug).length + 1;
    const opened: Pull = {
      ...pull,
      number,
      state: 'open',
      comments: [],
      posted: [],
      labels: [],
      reviewers: [...this.asksByItself],
      headCommit: refs[`refs/heads/${pull.head}`] ?? '',
    };
    this.pulls.push(opened);
    return opened;
  }

  post(pull: Pull, posted: NewPosted): Posted {
    const one = toPosted({ at: this.now(), ...posted });
    pull.posted.push(one);
    return one;
  }

  /** Renames or transfers a repository: requests to its old address are redirected. */
  async rename(from: string, to: string): Promise<string> {
    await mkdir(dirname(this.git.pathOf(to)), { recursive: true });
    await rename(this.git.pathOf(from), this.git.pathOf(to));
    this.ids.set(to, idOf(this, from));
    this.ids.delete(from);
    this.#moved.set(from, to);
    for (const pull of this.pulls) if (pull.slug === from) pull.slug = to;
    return this.git.urlOf(to);
  }

  /** GitHub and GitLab send on to the number of the repository, Gitea to its name. */
  #sentOn(path: string): string | undefined {
    for (const [from, to] of this.#moved) {
      const names = [`/repos/${from}`, `/projects/${encodeURIComponent(from)}`, `/repositories/${from}`];
      if (path.startsWith(`/${from}.git/`)) return path.replace(from, to);
      const prefix = Object.values(prefixes).find((each) => path.startsWith(each));
      const name = names.find((each) => path.slice(prefix?.length).startsWith(each));
      if (prefix === undefined || name === undefined) continue;
      const id = idOf(this, to);
      const there = {
        [prefixes.github]: `/repositories/${id}`,
        [prefixes.gitlab]: `/projects/${id}`,
        [prefixes.gitea]: `/repos/${to}`,
        [prefixes.bitbucket]: `/repositories/${to}`,
      };
      return path.replace(name, there[prefix] ?? '');
    }
    return undefined;
  }

  /** By name, where it is asked for by number. */
  #named(name: ForgeKind, path: string): string {
    const [, id, rest = ''] = /^\/(?:repositories|projects)\/(\d+)(\/.*)?$/.exec(path) ?? [];
    const slug = [...this.ids].find(([, number]) => number === Number(id))?.[0];
    if (slug === undefined) return path;
    return name === 'gitlab' ? `/projects/${encodeURIComponent(slug)}${rest}` : `/repos/${slug}${rest}`;
  }

  /** How many commits the head has that the base lacks. */
  async countCommits(slug: string, base: string, head: string): Promise<number> {
    return Number(
      await this.git.git(slug, ['rev-list', '--count', `refs/heads/${base}..refs/heads/${head}`]),
    );
  }

  /** What a person's click on "merge" does, with the branch deleted on request. */
  async merge(
    slug: string,
    number: number,
    { deleteBranch = false, style = 'merge' as MergeStyle } = {},
  ): Promise<void> {
    const pull = await this.#get(slug, number);
    const [base, head] = [`refs/heads/${pull.base}`, `refs/heads/${pull.head}`];
    const before = (await this.git.git(slug, ['rev-parse', base])).trim();
    const log = await this.git.git(slug, ['log', '--reverse', '-z', '--format=%H%x01%B', `${base}..${head}`]);
    const commits = log.split('\0').filter(Boolean);
    pull.messages = commits.map((commit) => commit.split('\u0001')[1]?.trim() ?? '');
    let tip = before;
    if (style === 'rebase') {
      for (const commit of commits) {
        const [hash = '', message = ''] = commit.split('\u0001');
        const tree = (await this.git.git(slug, ['merge-tree', '--write-tree', base, hash])).trim();
        tip = await this.#commit(slug, tree, message, [tip]);
      }
    } else {
      const tree = (await this.git.git(slug, ['merge-tree', '--write-tree', base, head])).trim();
      const parents = style === 'merge' ? [base, head] : [base];
      const message =
        style === 'merge' ? 'Merge' : `${pull.title} (#${number})\n\n* ${pull.messages.join('\n* ')}`;
      tip = await this.#commit(slug, tree, message, parents);
    }
    await this.git.git(slug, ['update-ref', base, tip]);
    pull.files = (await this.git.git(slug, ['diff', '--name-only', before, tip])).trim().split('\n');
    if (deleteBranch) await this.git.git(slug, ['update-ref', '-d', head]);
    pull.state = 'merged';
    pull.mergeCommit = tip;
  }

  async #commit(slug: string, tree: string, message: string, parents: readonly string[]): Promise<string> {
    const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
    const named = parents.flatMap((parent) => ['-p', parent]);
    return (await this.git.git(slug, [...who, 'commit-tree', '-m', message, ...named, tree])).trim();
  }

  async decline(slug: string, number: number): Promise<void> {
    (await this.#get(slug, number)).state = 'closed';
  }

  async #get(slug: string, number: number): Promise<Pull> {
    const pull = await this.find(slug, number);
    if (!pull) throw new Error(`There is no pull request ${number} in ${slug}.`);
    return pull;
  }

  async answer(req: IncomingMessage, res: ServerResponse): Promise<boolean> {
    const url = new URL(req.url ?? '/', 'http://localhost');
    const sentOn = this.#sentOn(url.pathname);
    if (sentOn !== undefined) {
      const status = req.method === 'GET' ? 301 : 307;
      res.writeHead(status, { Location: `${this.git.origin}${sentOn}${url.search}` }).end();
      return true;
    }
    const page = req.method === 'GET' ? await this.#describe(url.pathname) : undefined;
    if (page !== undefined) {
      res.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' }).end(page);
      return true;
    }
    const names = this.options.names ?? (Object.keys(prefixes) as ForgeKind[]);
    const name = names.find((candidate) => url.pathname.startsWith(`${prefixes[candidate]}/`));
    if (!name && url.pathname === '/api/graphql') {
      const answer = answerGraphql(this, JSON.parse(await readText(req)), secretOf(req));
      res.writeHead(answer.status, { 'Content-Type': 'application/json; charset=utf-8' });
      res.end(JSON.stringify(answer.body));
      return true;
    }
    if (!name) return false;
    const text = await readText(req);
    const answer = await answers[name](this, {
      method: req.method ?? 'GET',
      path: this.#named(name, url.pathname.slice(prefixes[name].length)),
      query: url.searchParams,
      body: text === '' ? undefined : JSON.parse(text),
      req,
    });
    const etag = `W/"${hash('sha256', JSON.stringify(answer.body))}"`;
    const isConditional = req.method === 'GET' && answer.status === 200 && name !== 'gitea';
    if (isConditional) res.setHeader('ETag', etag);
    if (isConditional && req.headers['if-none-match'] === etag) {
      this.unchanged++;
      res.writeHead(304).end();
      return true;
    }
    res.writeHead(answer.status, { 'Content-Type': 'application/json; charset=utf-8', ...answer.headers });
    res.end(JSON.stringify(answer.body));
    return true;
  }

  /** What a person sees at the address of a pull request. */
  async #describe(path: string): Promise<string | undefined> {
    const [, slug = '', number] =
      /^\/([^/]+\/[^/]+)\/(?:pulls?|pull-requests|-\/merge_requests)\/(\d+)$/.exec(path) ?? [];
    // Git knows no branches of an unknown repository.
    const isKnown = this.pulls.some((pull) => pull.slug === slug);
    const pull = isKnown ? await this.find(slug, Number(number)) : undefined;
    if (!pull) return undefined;
    const diff = await this.git.git(slug, ['diff', `${pull.base}...${pull.headCommit}`]);
    return `${pull.title}\n\n${pull.body}\n\n${diff}`;
  }

  async close(): Promise<void> {
    await this.git.close();
  }
}

export async function startForgeServer(
  options: ForgeServerOptions & Pick<GitServerOptions, 'root' | 'port'>,
): Promise<ForgeServer> {
  const app = new GithubAppDouble();
  let server: ForgeServer | undefined;
  const git = await startGitServer({
    ...options,
    allows: (secret, path) => app.mayWrite(secret, path),
    handle: async (req, res) => (await server?.answer(req, res)) ?? false,
  });
  server = new ForgeServer(git, options, app);
  return server;
}

async function readText(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
