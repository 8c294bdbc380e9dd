import { expect, test } from 'vitest';
import { type ForgeKind, forgeKinds } from '../../../shared/jobs/forge.ts';
import type { JobReply } from '../../../shared/jobs/job.ts';
import { startCommentedJob } from '../../support/jobs/commented-job.ts';
import {
  eventsOf,
  finish,
  obey,
  runJob,
  sendMessage,
  slug,
  startJobRun,
} from '../../support/jobs/job-run.ts';
import type { Script } from '../../support/jobs/model/model-server.ts';

/** Writes the pages that prompts name, and sums up the first with these words. */
function saying(summary: string): Script {
  let isSaid = false;
  return ({ body }) => {
    const answer = obey(body);
    if (!('text' in answer) || isSaid) return answer;
    isSaid = true;
    return { text: summary };
  };
}

const summary = `Explain the Note component

\`<Note>\` comes from \`@acme/docs\`, as <Note> in index.md says. Fixes #42.

\`\`\`mdx
<Note>npm i @acme/docs</Note>
\`\`\``;

test('a project may let pull requests close issues', async () => {
  const { jobs, forge } = await startJobRun({ script: saying(summary), project: { closeIssues: true } });
  const { branch } = await runJob(jobs, 'write docs/note.md Hello.');
  const [pull] = await forge.list(slug);
  expect(pull?.body).toContain('Fixes #42.');
  const [commit] = await forge.git.log(slug, String(branch));
  expect(commit?.message.replaceAll('\n', ' ')).toContain('Fixes #42.');
});

const labelsAt = (kind: ForgeKind) => (kind === 'bitbucket' ? [] : ['docs', 'by an agent']);

test.each(forgeKinds)(
  'a pull request on %s has its labels, Markdown as the agent wrote it, and what the whole branch does until people change it',
  async (kind) => {
    const project = { labels: labelsAt(kind) };
    const { jobs, forge } = await startJobRun({ kind, script: saying(summary), project });
    const { id, branch, status } = await runJob(jobs, 'write docs/note.md Hello.');

    expect(status).toBe('completed');
    const [pull] = await forge.list(slug);
    if (!pull) throw new Error('Nothing was opened.');
    // Nothing is mentioned, and nothing closed.
    expect(pull).toMatchObject({ title: 'Explain the Note component', labels: labelsAt(kind) });
    expect(pull.body).toContain(
      '`<Note>` comes from `@acme/docs`, as `<Note>` in index.md says. Fixes `#42`.',
    );
    expect(pull.body).toContain('```mdx\n<Note>npm i @acme/docs</Note>\n```');
    expect(pull.body).toContain('### Files\n\n- `docs/note.md` added\n\n### Request');

    await forge.git.commit(slug, { 'person.md': 'mine\n' }, { branch: String(branch) });
    await sendMessage(jobs, id, 'write b.md two');
    expect(await finish(jobs, id)).toMatchObject({ status: 'completed' });
    await forge.list(slug);
    expect(pull.body).toContain('- `b.md` added\n- `docs/note.md` added\n- `person.md` added');
    expect(pull.body).toContain('> write docs/note.md Hello.\n\nThen:\n\n> write b.md two');
    const [commit] = await forge.git.log(slug, String(branch));
    expect(pull.comments).toEqual([
      `**Write the page**\n\nAs it was asked.\n\n- \`b.md\` added\n\n---\nMessage 1 of job \`${id}\`, in ${commit?.hash}.`,
    ]);

    pull.body += '\n\nReviewed by me.';
    for (const name of ['c', 'd']) {
      await sendMessage(jobs, id, `write ${name}.md two`);
      await finish(jobs, id);
    }
    expect(pull.body).toMatch(/> write b.md two\n[\s\S]*\n\nReviewed by me\.$/);
    expect(pull.comments).toHaveLength(3);
    expect(forge.violations).toEqual([]);
  },
);

test('the agent is shown how the repository writes its pull requests, as the base has it', async () => {
  const template = '<!-- Be brief. -->\n## What changed\n\n- [ ] I ran the site\n';
  const files = { 'index.md': '# Site\n', '.github/PULL_REQUEST_TEMPLATE.md': template };
  const { jobs, forge, model } = await startJobRun({ files });
  await forge.git.commit(slug, { 'a.md': 'a\n' }, { branch: 'main', message: 'docs: add the page a' });
  const { id } = await runJob(jobs, 'write b.md two');
  const told = model.requests[0]?.prompts[0];
  expect(told).toContain('<titles>\n- docs: add the page a\n');
  expect(told).toContain('<template>\n## What changed\n\n- [ ] I ran the site\n</template>');
  await sendMessage(jobs, id, 'write c.md three');
  await finish(jobs, id);
  expect(model.requests.at(-1)?.prompts.filter((text) => text.includes('<template>'))).toHaveLength(1);
});

test('of several templates, wherever code hosts look for them, the agent picks one', async () => {
  const folders = ['.github/PULL_REQUEST_TEMPLATE', '.gitlab/merge_request_templates'];
  const files = Object.fromEntries([
    ['index.md', '# Site\n'],
    ...folders.flatMap((folder) => [
      [`${folder}/docs.md`, `## Which pages of ${folder}\n`],
      [`${folder}/code.md`, `## Which tests of ${folder}\n`],
    ]),
  ]);
  const { jobs, model } = await startJobRun({ files });
  await runJob(jobs, 'write b.md two');
  const told = model.requests[0]?.prompts[0];
  expect(told).toContain(`One of these, whichever fits the change best`);
  for (const folder of folders) {
    expect(told).toContain(`${folder}/docs.md:\n\n## Which pages of ${folder}`);
    expect(told).toContain(`${folder}/code.md:\n\n## Which tests of ${folder}`);
  }
});

test('branches are named by the prompt and the job, and commits are by whom the project says', async () => {
  const project = { branchPrefix: 'docs/{words}-', commitAuthor: 'Docs Bot <bot@example.com>' };
  const { jobs, forge } = await startJobRun({ project });
  const job = await runJob(jobs, 'write Über.md Hello there, world, and all');
  expect(job.branch).toBe(`docs/write-uber-md-hello-there-world-${job.id}`);
  const [commit] = await forge.git.log(slug, String(job.branch));
  expect(commit).toMatchObject({ author: 'Docs Bot', email: 'bot@example.com' });
  await sendMessage(jobs, job.id, 'write b.md two');
  expect(await finish(jobs, job.id)).toMatchObject({ branch: job.branch });
  const other = await runJob(jobs, 'write 日本.md Hello.');
  expect(other.branch).toBe(`docs/write-md-hello-${other.id}`);
});

test('a follow-up that changes nothing leaves the pull request as it is', async () => {
  const { run, job, pull } = await startCommentedJob();
  const { jobs } = run;
  const { id } = job;
  const { body } = pull;
  await sendMessage(jobs, id, 'look at it');
  await sendMessage(jobs, id, 'write b.md two');
  await finish(jobs, id);
  await run.forge.list(slug);
  expect(pull.comments).toHaveLength(1);
  expect(pull.body).not.toBe(body);
  expect(pull.body).toContain('- `b.md` added\n- `page.md` added\n');
});

test('a code host that refuses comments does not fail a turn whose change it has', async () => {
  const { run, job } = await startCommentedJob();
  const { jobs, forge } = run;
  const { id } = job;
  forge.git.faults.push({ on: /^POST .*\/comments/, status: 403 });
  await sendMessage(jobs, id, 'write b.md two');
  expect(await finish(jobs, id)).toMatchObject({ status: 'completed' });
  const notes = (await eventsOf(jobs, id)).filter(({ type }) => type === 'note');
  expect(notes.map(({ data }) => data.message)).toEqual([expect.stringContaining('could not be updated')]);
});

test('a change of more files than the request names is called larger than usual', async () => {
  const script: Script = ({ results }) =>
    results.length > 0
      ? { text: 'Write pages' }
      : {
          calls: [1, 2, 3, 4, 5].map((n) => ({ tool: 'write', input: { path: `${n}.md`, content: 'x\n' } })),
        };
  const { jobs, forge } = await startJobRun({ script });
  await runJob(jobs, 'improve the site');
  await runJob(jobs, 'write 1.md');
  const [named, large] = await forge.list(slug);
  expect(large?.body).toContain(
    '> **Larger than usual.** It changes 5 files that the request does not name, with 5 lines.',
  );
  expect(named?.body).not.toContain('Larger than usual');
});

test('Bitbucket has no labels, which the transcript says once', async () => {
  const { jobs, forge } = await startJobRun({ kind: 'bitbucket', project: { labels: ['docs'] } });
  const { id } = await runJob(jobs, 'write a.md one');
  await sendMessage(jobs, id, 'write b.md two');
  expect(await finish(jobs, id)).toMatchObject({ status: 'completed' });
  const notes = (await eventsOf(jobs, id)).filter(({ data }) => /labels/.test(String(data.message)));
  expect(notes.map(({ data }) => data.message)).toEqual([
    expect.stringMatching(
      /^The change is delivered, .* Bitbucket has no labels for pull requests: take them out .*--label ''/,
    ),
  ]);
  expect(forge.requestsTo('bitbucket').filter((request) => request.includes('label'))).toEqual([]);
});

test.each(forgeKinds)(
  'while as many are open on %s as the project wants, no other is begun',
  async (kind) => {
    const { run, job: first } = await startCommentedJob({ kind, project: { maxOpenPullRequests: 1 } });
    const { jobs, forge, model } = run;
    await sendMessage(jobs, first.id, 'write b.md two');
    expect(await finish(jobs, first.id)).toMatchObject({ status: 'completed' });
    const asked = model.requests.length;
    const second = await runJob(jobs, 'write c.md three');
    expect(second.failure).toMatchObject({ code: 'open_pull_requests' });
    expect(model.requests).toHaveLength(asked);
    await forge.merge(slug, 1);
    await sendMessage(jobs, second.id, 'write c.md three');
    expect(await finish(jobs, second.id)).toMatchObject({ status: 'completed' });
  },
);

test.each(forgeKinds)('many earlier jobs cost a new one at %s a list, not a call for each', async (kind) => {
  const { run } = await startCommentedJob({ kind, project: { maxOpenPullRequests: 9 } });
  const { jobs, forge, model } = run;
  for (let page = 2; page <= 5; page++) {
    expect((await runJob(jobs, `write ${page}.md Hello.`)).status).toBe('completed');
    if (page === 2) await forge.merge(slug, page);
    else if (page === 3) await forge.decline(slug, page);
  }
  forge.git.requests.length = 0;
  expect((await runJob(jobs, 'write new.md Hello.')).status).toBe('completed');
  // Two lists, the files of four proposals, and what opens one more pull request.
  const asked = forge.requestsTo(kind).filter((request) => request.startsWith('GET '));
  expect(asked.length).toBeLessThan(14);
  const told = JSON.stringify(model.requests.at(-1)?.body);
  expect(told.match(/- open: \\"Write the page\\"/g)).toHaveLength(3);
  expect(told.match(/people said no/g)?.length).toBeGreaterThan(0);
  expect(forge.violations).toEqual([]);
});

test('of two jobs that begin at once, the younger is refused where the project wants one pull request', async () => {
  const { jobs, forge } = await startJobRun({ project: { maxOpenPullRequests: 1 } });
  const prompts = ['write a.md one', 'write b.md two'];
  const replies = await Promise.all(prompts.map((prompt) => jobs.post('job', JSON.stringify({ prompt }))));
  const begun = await Promise.all(replies.map(async (reply) => (await reply.json()) as JobReply));
  const ended = await Promise.all(begun.map(({ id }) => finish(jobs, id)));
  expect(ended.map(({ failure }) => failure?.code).toSorted()).toEqual(['open_pull_requests', undefined]);
  expect(await forge.list(slug)).toHaveLength(1);
});

test('an older job that goes on after its merge counts while it is at work', async () => {
  const { run, job } = await startCommentedJob({ project: { maxOpenPullRequests: 1 } });
  const { jobs, forge } = run;
  const { id } = job;
  await forge.merge(slug, 1);
  await sendMessage(jobs, id, 'write b.md two');
  expect((await runJob(jobs, 'write c.md three')).failure).toMatchObject({ code: 'open_pull_requests' });
  expect(await finish(jobs, id)).toMatchObject({ status: 'completed' });
});

test('a job that is asked for as a draft gets one, also where a later message opens it', async () => {
  const { jobs, forge } = await startJobRun({ project: { draft: false } });
  const body = JSON.stringify({ prompt: 'look at it', asDraft: true });
  const { id } = (await (await jobs.post('job', body)).json()) as JobReply;
  await finish(jobs, id);
  await jobs.message(id, 'write page.md Hello.');
  await finish(jobs, id);
  expect(await forge.list(slug)).toMatchObject([{ draft: true }]);

  const plain = JSON.stringify({ prompt: 'write other.md Hello.', asDraft: false });
  await finish(jobs, ((await (await jobs.post('job', plain)).json()) as JobReply).id);
  expect((await forge.list(slug))[0]).toMatchObject({ draft: false });
});
