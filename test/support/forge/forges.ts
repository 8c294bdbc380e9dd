import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { Forge, PullRequestPlan } from '../../../server/jobs/forge/forge.ts';
import { type ForgeOptions, openForge } from '../../../server/jobs/forge/forges.ts';
import { parseRepository } from '../../../server/jobs/git/repository.ts';
import { type ForgeKind, forgeKinds } from '../../../shared/jobs/forge.ts';
import type { GitFault } from '../git/git-server.ts';
import { type ForgeServer, startForgeServer } from './server.ts';

export const token = 'sesame-forge-55aa';
export const names = forgeKinds;
let counter = 0;
/** The forges and the repository of the test that runs. */
export let server: ForgeServer;
export let slug = '';

/** Starts the forges for the tests of a file, and gives each test a repository of its own. */
export function useForges(): void {
  beforeAll(async () => {
    server = await startForgeServer({ token });
    await server.git.createRepository('ada/original', { 'page.md': 'one\n' });
    await server.git.commit('ada/original', { 'page.md': 'two\n' }, { branch: 'job/1' });
  });

  afterAll(async () => {
    await server.close();
    // What GitHub was asked and answered is held against its published description.
    expect(server.violations).toEqual([]);
  });

  beforeEach(async () => {
    server.git.faults.length = 0;
    slug = `ada/site-${++counter}`;
    await server.git.copyRepository('ada/original', slug);
  });
}

export function open(name: ForgeKind, options: Partial<ForgeOptions> = {}): Forge {
  const repository = parseRepository(server.git.urlOf(slug), ['http']);
  const auth = { kind: 'token', token } as const;
  return openForge({ kind: name, repository, apiUrl: undefined, auth, fetch, now: Date.now, ...options });
}

export async function plan(change: Partial<PullRequestPlan> = {}): Promise<PullRequestPlan> {
  const commit = (await server.git.refs(slug))['refs/heads/job/1'] ?? '';
  return {
    head: 'job/1',
    commit,
    base: 'main',
    title: 'Better',
    body: 'Why *and* how',
    draft: false,
    ...change,
  };
}

export const creations = (name: ForgeKind) => {
  const path = /^POST .*\/(?:merge_requests|pulls|pullrequests)$/;
  return server.requestsTo(name).filter((request) => path.test(request) && mentions(request));
};
const mentions = (request: string) => request.includes(slug) || request.includes(encodeURIComponent(slug));
export const onCreate = (fault: Omit<GitFault, 'on'>): GitFault => ({ on: /^POST \/api\//, ...fault });
export const onLook = (fault: Omit<GitFault, 'on'>): GitFault => ({ on: /^GET \/api\//, ...fault });
