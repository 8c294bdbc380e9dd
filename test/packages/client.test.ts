import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Headcount, startHeadcount } from '../support/headcount.ts';
import { makePackageUser, type PackageUser, resolutions } from '../support/packages/package-user.ts';

const root = join(import.meta.dirname, '..', '..');

let headcount: Headcount;
/** A program that has installed the client from its Headcount. */
let program: PackageUser;

beforeAll(async () => {
  headcount = await startHeadcount();
  program = await makePackageUser(`${headcount.url}/client.tgz`);
  await program.install();
});
afterAll(async () => {
  await headcount.stop();
  await program.remove();
});

describe('the client that the server serves', () => {
  test('is installed by npm from its address, and depends on nothing', async () => {
    expect(await program.dependencies()).toEqual({ '@headcount/client': `${headcount.url}/client.tgz` });
    expect(await program.installed()).toEqual(['node_modules/@headcount/client']);
    await program.installAgain();
  });

  test('has less than 24 KB, and nothing but what it needs', async () => {
    const { response, bytes, names } = await program.tarball();
    expect(response.headers.get('content-type')).toBe('application/gzip');
    expect(bytes.length).toBeLessThan(24_000);
    const code = ['client.cjs', 'client.d.cts', 'client.d.ts', 'client.js', 'operations.d.cts'];
    expect(names).toEqual(['LICENSE', 'README.md', ...code, 'package.json']);
  });

  test('has a version that goes with what is in it', async () => {
    expect((await program.manifestOf('@headcount/client')).version).toMatch(/^0\.0\.0-sha256-[0-9a-f]{12}$/);
  });
});

const ask = (load: string) => `
  ${load}
  const headcount = createClient({ server: '${headcount.url}', key: '${headcount.adminKey}' });
  const told = (error) => error instanceof HeadcountError && error.status;
  headcount('GET /v1/projects').then(({ projects }) => console.log(projects.map(({ id }) => id)));
  createClient({ server: '${headcount.url}' })('GET /v1/projects').catch((error) => console.log(told(error)));`;

/** Everything that a job and an AI client may lack: texts or nothing. */
const nullable = `
  import { createClient, type Operations } from '@headcount/client';
  type Job = Operations['GET /v2/agent/{projectId}/job/{jobId}']['reply'];
  type AiClient = Operations['GET /v1/analytics/{projectId}/ai-clients']['reply']['clients'][number];
  export const textsOf = (job: Job, client: AiClient): (string | null)[] =>
    [job.prLink, job.branch, job.archivedAt, job.failure?.message ?? null, client.operator, client.purpose];
  // @ts-expect-error It may be null.
  export const linkOf = (job: Job): string => job.prLink;`;

describe('a program that has it', () => {
  test.each([
    ['imports', 'program.mjs', "import { createClient, HeadcountError } from '@headcount/client';"],
    ['requires', 'program.cjs', "const { createClient, HeadcountError } = require('@headcount/client');"],
  ])('%s it and asks', async (_how, name, load) => {
    const lines = (await program.runScript(name, ask(load))).trim().split('\n');
    expect(lines.sort()).toEqual(['401', `[ '${headcount.projectId}' ]`]);
  });

  const snippets = { 'docs/api.md': 'docs/api.md', 'its README': 'client/README.md' };
  test.each(Object.entries(snippets))('compiles what %s shows', async (_where, path) => {
    const code = /```ts\n(.*?)```/s.exec(await readFile(join(root, path), 'utf8'))?.[1] ?? '';
    expect(code).toContain("from '@headcount/client'");
    expect(await program.compile([code], ['esnext', 'module', 'bundler'])).toBe('');
  });

  test('is told which texts may be null', async () => {
    expect(await program.compile([nullable], ['esnext', 'module', 'bundler'])).toBe('');
  });

  test.each(resolutions)('has types for module %s, package type %s, resolution %s', async (...resolution) => {
    const text = (sort: string) => `
      import { createClient } from '@headcount/client';
      const headcount = createClient({ server: 'https://count.example.com', key: process.env.HEADCOUNT_KEY });
      const path = { projectId: 'abc' };
      headcount('GET /v1/analytics/{projectId}/visitors', { path, query: { sort: '${sort}' } })
        .then(({ totals, visitors }): number => (totals.ai ?? 0) + visitors.length);`;
    const said = await program.compile([text('ai'), text('size')], resolution);
    expect(said).not.toMatch(/^(?!1\.ts)\S/m);
    expect(said).toMatch(/^1\.ts.*Type '"size"' is not assignable/m);
  });
});
