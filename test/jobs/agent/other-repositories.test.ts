import { expect, onTestFinished, test } from 'vitest';
import type { ProjectSettings } from '../../../shared/project/project.ts';
import { listContents } from '../../support/git/contents.ts';
import { type GitServer, type SeedFiles, startGitServer } from '../../support/git/git-server.ts';
import { eventsOf, forgeToken, runJob, setSecrets, slug, startJobRun } from '../../support/jobs/job-run.ts';
import type { Script } from '../../support/jobs/model/model-server.ts';

const otherToken = 'glpat-sesame-other-1f9c20aa';
const product: SeedFiles = {
  'README.md': '# Product\n',
  'src/flags.ts': "export const flag = '--verbose';\n",
  'src/large.md': `${'large '.repeat(20_000)}\n`,
};

interface Other {
  git: GitServer;
  address: string;
  /** What somebody signed in with, at every request. */
  secrets: (string | undefined)[];
}

/** A repository on a code host of its own; with a token, only whoever has that gets in. */
async function startOther(token?: string): Promise<Other> {
  const secrets: (string | undefined)[] = [];
  const git = await startGitServer({
    allows: (secret) => {
      secrets.push(secret);
      return token === undefined || secret === token;
    },
  });
  onTestFinished(() => git.close());
  return { git, address: await git.createRepository('acme/product', product), secrets };
}

type Call = { tool: string; input: object };
const unwrap = (result: string) =>
  result.startsWith('{"error":') ? (JSON.parse(result) as { error: string }).error : result;

/** An agent that makes these calls in one answer each, and then changes a page. */
async function work(calls: Call[], project: Partial<ProjectSettings>, tokens?: string) {
  const page = { path: 'page.md', content: 'It is --verbose.\n' };
  const script: Script = (_request, index) => {
    const call = [...calls, { tool: 'write', input: page }][index];
    return call ? { calls: [call] } : { text: 'Name the flag\n\nAs the product has it.' };
  };
  const run = await startJobRun({ script, project });
  if (tokens !== undefined) await setSecrets(run.headcount, { repositoryTokens: tokens });
  const job = await runJob(run.jobs, 'name the flag');
  const answers = (run.model.requests.at(-1)?.results ?? []).slice(0, calls.length).map(unwrap);
  return { run, job, answers };
}

test('a public one is listed, read and searched, and never written to', async () => {
  const other = await startOther();
  const repository = other.address;
  const { job, answers, run } = await work(
    [
      { tool: 'other_list', input: { repository, recursive: true } },
      { tool: 'other_read', input: { repository, path: 'src/flags.ts' } },
      { tool: 'other_search', input: { repository, text: 'verbose' } },
      { tool: 'other_read', input: { repository, path: '../../etc/passwd' } },
      { tool: 'write', input: { repository, path: 'README.md', content: 'mine' } },
    ],
    { agentRepositories: [repository] },
  );
  expect(job.status).toBe('completed');
  expect(answers.slice(0, 3)).toEqual([
    'README.md\nsrc/\nsrc/flags.ts\nsrc/large.md',
    `"src/flags.ts", lines 1 to 1 of 1:\n1\texport const flag = '--verbose';`,
    "src/flags.ts:1: export const flag = '--verbose';",
  ]);
  expect(answers[3]).not.toContain('root:');
  expect(await run.forge.git.read(slug, String(job.branch), 'README.md')).toBe('mine');
  expect(await other.git.read('acme/product', 'main', 'README.md')).toBe('# Product\n');
  expect(other.git.requests.filter((request) => request.includes('receive-pack'))).toEqual([]);
  expect(other.secrets.filter((secret) => secret !== undefined)).toEqual([]);
});

test('of one only what is looked at is fetched', async () => {
  const other = await startOther();
  const { answers, run } = await work(
    [
      { tool: 'other_list', input: { repository: other.address, recursive: true } },
      { tool: 'other_read', input: { repository: other.address, path: 'README.md' } },
    ],
    { agentRepositories: [other.address] },
  );
  expect(answers[1]).toContain('# Product');
  const hashOf = async (path: string) =>
    (await other.git.git('acme/product', ['rev-parse', `main:${path}`])).trim();
  const kept = await listContents(run.headcount.dataDir);
  expect(kept).toContain(await hashOf('README.md'));
  expect(kept).not.toContain(await hashOf('src/flags.ts'));
  expect(kept).not.toContain(await hashOf('src/large.md'));
});

test('a project that names none has no such tools', async () => {
  const { run } = await work([], {});
  expect(run.model.requests[0]?.tools.filter((name) => name.startsWith('other_'))).toEqual([]);
});

test('one that the project does not name is not opened', async () => {
  const [named, unnamed] = [await startOther(), await startOther()];
  const { answers } = await work(
    [{ tool: 'other_read', input: { repository: unnamed.address, path: 'README.md' } }],
    { agentRepositories: [named.address] },
  );
  expect(answers[0]).toContain('The input does not fit the tool "other_read". repository:');
  expect(unnamed.git.requests).toEqual([]);
});

test('a private one gets its own token, and no host gets the token of another one', async () => {
  const [open, closed] = [await startOther(), await startOther(otherToken)];
  const repositories = [open.address, closed.address];
  const { answers, run } = await work(
    repositories.map((repository) => ({ tool: 'other_read', input: { repository, path: 'README.md' } })),
    { agentRepositories: repositories },
    `${closed.address} ${otherToken}\nhttps://git.example.com/a/b unused-token-4711\n`,
  );
  expect(answers).toEqual([expect.stringContaining('# Product'), expect.stringContaining('# Product')]);
  expect(new Set(open.secrets)).toEqual(new Set([undefined]));
  expect(new Set(closed.secrets)).toEqual(new Set([otherToken]));
  const seen = JSON.stringify([run.model.requests, run.headcount.log]);
  for (const secret of [otherToken, forgeToken, 'unused-token-4711']) expect(seen).not.toContain(secret);
});

test('one on the host of the project’s own repository does not get the token of that', async () => {
  const run = await startJobRun();
  const address = await run.forge.git.createRepository('ada/other', product);
  const script: Script = (_request, index) =>
    index === 0
      ? { calls: [{ tool: 'other_read', input: { repository: address, path: 'README.md' } }] }
      : { text: 'Nothing to do\n\nIt could not be read.' };
  const second = await startJobRun({ script, project: { agentRepositories: [address] } });
  const job = await runJob(second.jobs, 'read it');
  expect(job.status).toBe('completed');
  expect(second.model.requests[1]?.results[0]).toContain('Its token is missing, or refused');
});

test('one that cannot be read is told in words, with what to do, and the work goes on', async () => {
  const closed = await startOther(otherToken);
  const empty = await startGitServer();
  onTestFinished(() => empty.close());
  const repositories = [
    closed.address,
    await empty.createRepository('acme/empty'),
    empty.urlOf('acme/none'),
    'http://127.0.0.1:1/acme/away',
  ];
  const { answers, job } = await work(
    repositories.map((repository) => ({ tool: 'other_list', input: { repository } })),
    { agentRepositories: repositories },
    `${closed.address} wrong-token-4711`,
  );
  expect(job.status).toBe('completed');
  expect(answers).toEqual([
    expect.stringMatching(
      /cannot be read\. Its token is missing, or refused: .*--repository-tokens-stdin\. Go on/,
    ),
    expect.stringMatching(/cannot be read\. It has no commit\. Go on/),
    expect.stringMatching(/cannot be read\. There is no such repository/),
    expect.stringMatching(/cannot be read\. The connection to .* failed or broke off\. Go on/),
  ]);
});

test('a token that stands in one of them does not reach the model', async () => {
  const other = await startOther(otherToken);
  await other.git.commit('acme/product', { 'config.md': `token: ${otherToken}\n` });
  const { answers, run, job } = await work(
    [{ tool: 'other_read', input: { repository: other.address, path: 'config.md' } }],
    { agentRepositories: [other.address] },
    `${other.address} ${otherToken}`,
  );
  expect(answers[0]).toContain('token: [secret]');
  expect(JSON.stringify(await eventsOf(run.jobs, job.id))).not.toContain(otherToken);
});
