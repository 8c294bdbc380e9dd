import { expect, test } from 'vitest';
import { parseReach } from '../../../server/net/reach.ts';
import { statusAndError } from '../../support/headcount.ts';
import { eventsOf, runJob, slug, startJobRun } from '../../support/jobs/job-run.ts';

/** The end of a job of a project whose servers are all on this machine. */
async function endOf(env: Record<string, string>, project: Record<string, string | null> = {}) {
  const run = await startJobRun({ env, project });
  const job = await runJob(run.jobs, 'write page.md Hello.');
  return { ...run, job, end: (await eventsOf(run.jobs, job.id)).at(-1) };
}

test('a repository in a private network is refused, and the sentence names the setting', async () => {
  const { job, end, forge } = await endOf({ HEADCOUNT_PRIVATE_NETWORKS: 'none' });
  expect([job.status, end?.data.reason]).toEqual(['failed', 'private_network']);
  expect(end?.data.message).toContain('HEADCOUNT_PRIVATE_NETWORKS');
  expect(forge.git.requests).toEqual([]);
});

/** The same job where the repository is given by a name that leads to this machine. */
async function endByName(networks: string) {
  const run = await startJobRun({ env: { HEADCOUNT_PRIVATE_NETWORKS: networks } });
  const { context, projectId } = run.headcount;
  const project = context.registry.project(projectId);
  if (!project) throw new Error('There is no project.');
  const repository = project.settings.repository?.replace('127.0.0.1', 'localhost') ?? null;
  const settings = { ...project.settings, forge: 'none' as const, forgeUrl: null, repository };
  await context.store.setProject(projectId, settings, {});
  await context.registry.refresh();
  const job = await runJob(run.jobs, 'write page.md Hello.');
  return { ...run, job, end: (await eventsOf(run.jobs, job.id)).at(-1) };
}

test('so is one whose name leads there', async () => {
  const { end, forge } = await endByName('none');
  expect(end?.data).toMatchObject({
    reason: 'private_network',
    message: expect.stringContaining('localhost'),
  });
  expect(forge.git.requests).toEqual([]);
});

test('a name that leads where the operator allows it is reached', async () => {
  const { job, forge } = await endByName('loopback');
  expect(job.status).toBe('completed');
  expect(await forge.git.read(slug, `headcount/${job.id}`, 'page.md')).toBe('Hello.\n');
});

test('a model in a private network is refused, and the sentence names both settings', async () => {
  const { job, end, model } = await endOf({
    HEADCOUNT_PRIVATE_NETWORKS: 'loopback',
    OPENAI_BASE_URL: 'http://10.255.255.1/v1',
  });
  expect([job.status, end?.data.reason]).toEqual(['failed', 'model_settings']);
  expect(end?.data.message).toMatch(/HEADCOUNT_PRIVATE_NETWORKS.*OPENAI_BASE_URL/);
  expect(model.requests).toHaveLength(0);
});

test('a code host in a private network is refused before it is sent a token', async () => {
  const { job, end, forge } = await endOf(
    { HEADCOUNT_PRIVATE_NETWORKS: 'loopback' },
    { forgeUrl: 'http://192.168.255.1/api/v3' },
  );
  expect(job.prLink).toBeNull();
  expect(end?.data).toMatchObject({
    reason: 'private_network',
    message: expect.stringContaining('192.168.255.1'),
  });
  expect(await forge.list(slug)).toEqual([]);
});

test('what the operator allows is reached by its address', async () => {
  const { job } = await endOf({ HEADCOUNT_PRIVATE_NETWORKS: '127.0.0.0/8, ::1' });
  expect(job.status).toBe('completed');
});

test.each([
  [
    'none',
    [
      '127.0.0.1',
      '10.1.2.3',
      '169.254.169.254',
      '192.168.0.1',
      '::1',
      'fe80::1',
      'fd00::1',
      '::ffff:10.0.0.1',
      '0.0.0.0',
      '100.64.0.1',
      ...['168.63.129.16', '::ffff:168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254'],
      ...['fd20:ce::254', '169.254.170.2', '2002:a83f:8110::1'],
    ],
    ['1.1.1.1', '2606:4700::1111'],
  ],
  ['loopback', ['10.1.2.3', '169.254.169.254'], ['127.0.0.1', '::1', '1.1.1.1']],
  ['10.0.0.0/8,fd00::/8', ['127.0.0.1', '192.168.0.1', 'fe80::1'], ['10.1.2.3', 'fd00::1', '1.1.1.1']],
  [
    // What clouds hand credentials out at is in no range; listed itself, it is reached.
    '169.254.0.0/16,100.64.0.0/10,192.0.0.0/24,168.63.0.0/16,fc00::/7,fe80::/10,169.254.170.2',
    [
      ...['169.254.169.254', '168.63.129.16', '100.100.100.200', '192.0.0.192', '169.254.170.23'],
      ...['fd00:ec2::254', 'fd00:ec2:0:0::254', 'fd00:ec2::23', 'fd20:ce::254', '::ffff:168.63.129.16'],
      ...['::ffff:a83f:8110', 'fe80::a9fe:a9fe'],
    ],
    ['169.254.170.2', '169.254.1.1', '100.64.0.1', '168.63.129.15', 'fd00::1'],
  ],
  ['allow', [], ['127.0.0.1', '169.254.169.254', 'fd00::1']],
])('HEADCOUNT_PRIVATE_NETWORKS=%s keeps to what it says', (list, refused, allowed) => {
  const mayReach = parseReach(list);
  expect(refused.filter(mayReach)).toEqual([]);
  expect(allowed.filter((address) => !mayReach(address))).toEqual([]);
});

test.each([
  'metadata.google.internal',
  'metadata.google.internal.',
  'METADATA.google.internal',
  'metadata',
  'metadata.goog',
  'instance-data.ec2.internal',
])('the name %s is refused where it is set, as its address is', async (host) => {
  const { headcount } = await startJobRun({ env: { HEADCOUNT_PRIVATE_NETWORKS: 'loopback' } });
  const answer = await fetch(`${headcount.url}/v1/projects/${headcount.projectId}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${headcount.adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ repository: `http://${host}/a/b` }),
  });
  expect(await statusAndError(answer)).toEqual([400, expect.stringContaining('HEADCOUNT_PRIVATE_NETWORKS')]);
});
