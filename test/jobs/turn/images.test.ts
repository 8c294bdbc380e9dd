import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ModelKind, modelNames, runScripted } from '../../support/jobs/agent/agent-run.ts';
import { eventsOf, finish, obey, runJob, slug, startJobRun } from '../../support/jobs/job-run.ts';
import { inOrder, type Script } from '../../support/jobs/model/model-server.ts';

const png = readFileSync(join(import.meta.dirname, '../../../docs/client-light.png'));
/** Small ones, which hold no more than what tells their kind. */
const tiny = {
  png: Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1'),
  jpeg: Buffer.from('\xff\xd8\xff\xe0rest', 'latin1'),
  gif: Buffer.from('GIF89arest', 'latin1'),
  webp: Buffer.from('RIFF\x00\x00\x00\x00WEBPrest', 'latin1'),
};
const sent = (name: string, content: Buffer) => ({ name, content: content.toString('base64') });

/** Puts images where the prompt says, and shows them in a page. */
const placing: Script = ({ body, results, prompts }) => {
  const places = [...(prompts.at(-1) ?? '').matchAll(/place (\d+) (\S+)/g)];
  if (places.length === 0) return obey(body);
  const last = (body.messages as { role: string }[]).at(-1)?.role;
  if (last === 'tool') return { text: `Show the screenshot\n\nDone with ${results.at(-1)}` };
  const calls = places.map(([, image, path]) => ({ tool: 'place', input: { image: Number(image), path } }));
  const content = `# Page\n\n${places.map(([, , path = '']) => `![It](${path.replace('docs/', '')})`).join('\n')}\n`;
  return { calls: [...calls, { tool: 'write', input: { path: 'docs/page.md', content } }] };
};

const post = async (jobs: Awaited<ReturnType<typeof startJobRun>>['jobs'], body: object) => {
  const response = await jobs.post('job', JSON.stringify(body));
  return { status: response.status, body: (await response.json()) as { id: string; error?: string } };
};

test('an image comes to the model with the prompt, and into the repository as it is', async () => {
  const { jobs, forge, model, headcount } = await startJobRun({ script: placing });
  const { body } = await post(jobs, {
    prompt: 'Put it on the page: place 1 docs/shot.png now',
    images: [sent('Über "it".png', png)],
  });
  const job = await finish(jobs, body.id);
  expect(job).toMatchObject({ status: 'completed', failure: null });
  const blob = await forge.git.git(slug, ['rev-parse', `${job.branch}:docs/shot.png`]);
  expect(blob.trim()).toBe(hash('sha1', Buffer.concat([Buffer.from(`blob ${png.length}\0`), png])));

  // In the form of the API that was asked, after its number and name.
  const asked = JSON.stringify(model.requests[0]?.body);
  expect(asked).toContain(`data:image/png;base64,${png.subarray(0, 30).toString('base64')}`);
  expect(model.requests[0]?.prompts.at(-1)).toContain('Image 1, "Über \\"it\\".png":');
  expect(model.requests[0]?.tools).toContain('place');
  // Kept once, and told without its content.
  const [message] = await eventsOf(jobs, job.id);
  expect(message?.data.images).toEqual([
    { number: 1, name: 'Über "it".png', type: 'image/png', bytes: png.length },
  ]);
  const kept = JSON.stringify(await headcount.context.store.jobs.readMessages(job.id));
  expect(kept.length).toBeLessThan(20_000);
  expect(headcount.log.join('\n')).not.toContain('iVBOR');

  // A message brings another one; the conversation before it is sent as it was.
  const second = sent('b.webp', tiny.webp);
  await jobs.post(
    `job/${job.id}/message`,
    JSON.stringify({ prompt: 'Both: place 2 docs/b.webp place 1 docs/c.png now', images: [second] }),
  );
  const after = await finish(jobs, job.id);
  expect(await forge.git.read(slug, String(after.branch), 'docs/c.png')).toContain('PNG');
  const [before, later] = [model.requests.at(1), model.requests.at(-1)].map((request) =>
    (request?.body.messages as unknown[] | undefined)?.slice(0, 2),
  );
  expect(later).toEqual(before);
});

test('an image can be read as it was sent by whoever may read the transcript, and is nothing else to a browser', async () => {
  const { jobs, headcount } = await startJobRun({ script: placing });
  const images = [sent('a.png', png), sent('b.gif', tiny.gif)];
  const { body } = await post(jobs, { prompt: 'Look.', images });
  await finish(jobs, body.id);
  const first = await jobs.read(`${body.id}/image/1`);
  expect(Buffer.from(await first.arrayBuffer())).toEqual(png);
  expect([
    first.status,
    ...['content-type', 'x-content-type-options', 'content-security-policy'].map((name) =>
      first.headers.get(name),
    ),
  ]).toEqual([200, 'image/png', 'nosniff', "default-src 'none'; sandbox"]);
  expect((await jobs.read(`${body.id}/image/2`)).headers.get('content-type')).toBe('image/gif');
  for (const path of [`${body.id}/image/3`, `${body.id}/image/0`, `${body.id}/image/x`, 'job_x/image/1'])
    expect((await jobs.read(path)).status).toBe(404);
  const stranger = await headcount.addProject();
  const others = await fetch(`${headcount.url}/v2/agent/${headcount.projectId}/job/${body.id}/image/1`, {
    headers: { authorization: `Bearer ${stranger.adminKey}` },
  });
  expect(others.status).toBe(403);
});

test('a turn that is tried again puts the same images in the same places', async () => {
  let failures = 0;
  const script: Script = (request, index) => {
    const last = (request.body.messages as { role: string }[]).at(-1)?.role;
    if (last === 'tool' && failures++ === 0) return { drop: 'before' };
    return placing(request, index);
  };
  const { jobs, forge } = await startJobRun({ script, agentLimits: { tries: 1 } });
  const { body } = await post(jobs, { prompt: 'place 1 docs/shot.gif now', images: [sent('a', tiny.gif)] });
  const job = await finish(jobs, body.id);
  expect(job.status).toBe('completed');
  expect(await forge.git.read(slug, String(job.branch), 'docs/shot.gif')).toBe('GIF89arest');
  const calls = (await eventsOf(jobs, job.id)).filter(({ data }) => data.tool === 'place');
  expect(calls).toHaveLength(1);
});

test('the agent is told what is wrong with a place', async () => {
  const { jobs } = await startJobRun({ script: placing });
  const { body } = await post(jobs, {
    prompt: 'place 1 docs/a.png place 7 docs/b.png place 1 .github/a.jpg place 1 ../a.jpg now',
    images: [sent('a', tiny.jpeg)],
  });
  await finish(jobs, body.id);
  const told = (await eventsOf(jobs, body.id)).filter(({ data }) => data.tool === 'place');
  expect(told.map(({ data }) => data.output)).toEqual([
    'Image 1 is image/jpeg: let the path end in .jpg or .jpeg.',
    'There is no image 7. Those that came with requests are 1.',
    expect.stringContaining('may not be changed'),
    expect.any(String),
  ]);
  expect(told.every(({ data }) => data.ok === false)).toBe(true);
});

test('what is no image, or too much, is refused before anything is stored', async () => {
  const { jobs, headcount } = await startJobRun();
  const large = (bytes: number) => sent('a', Buffer.concat([tiny.png, Buffer.alloc(bytes)]));
  const refused: [object[], RegExp][] = [
    [[sent('a.png', Buffer.from('<svg/>'))], /images\.0\.content must be a PNG, JPEG, GIF or WebP image/],
    [[{ name: 'a', content: 'iVBOR*' }], /must be a PNG, JPEG, GIF or WebP image in base64/],
    [[large(1_000_000)], /must have at most 1000000 bytes/],
    [[large(900_000), large(900_000)], /must have at most 1500000 bytes together/],
    [Array.from({ length: 5 }, () => sent('a', tiny.png)), /images must be at most 4/],
    [[sent(' ', tiny.png)], /images\.0\.name must have 1 to 100/],
  ];
  for (const [images, error] of refused) {
    const answer = await post(jobs, { prompt: 'Look.', images });
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(error) } });
    const message = await jobs.post('job/job_x/message', JSON.stringify({ prompt: 'Look.', images }));
    expect(message.status).toBe(400);
  }
  const list = { projectId: headcount.projectId, status: null, limit: 10, offset: 0 };
  expect((await headcount.context.store.jobs.listJobs(list)).jobs).toEqual([]);
});

test('a model that sees none is sent none, nor is an agent that is a program', async () => {
  const images = [sent('a', tiny.png)];
  const blind = await startJobRun({ project: { model: 'openai/o3-mini' } });
  expect((await post(blind.jobs, { prompt: 'Look.', images })).body.error).toMatch(
    /^The model openai\/o3-mini does not see images: send the prompt without them/,
  );
  const { id } = await runJob(blind.jobs, 'Look.');
  const message = await blind.jobs.post(`job/${id}/message`, JSON.stringify({ prompt: 'Look.', images }));
  expect(message.status).toBe(400);
  const program = await startJobRun({ project: { agentCommand: ['/bin/true'], agentUnconfined: true } });
  expect((await post(program.jobs, { prompt: 'Look.', images })).body.error).toContain(
    'The agent "true" is a program of its own, which is given no images',
  );
});

test.each(Object.keys(modelNames) as ModelKind[])(
  'an image comes to models of %s in their own form',
  async (kind) => {
    const image = { number: 1, name: 'a', type: 'image/png' as const, content: Uint8Array.from(tiny.png) };
    const { server, result, messages } = await runScripted(inOrder({ text: 'No change: it is fine.' }), {
      kind,
      images: [image],
      attached: [image],
    });
    expect(result.status).toBe('done');
    const asked = JSON.stringify(server.requests[0]?.body);
    expect(asked).toContain(tiny.png.toString('base64'));
    expect(asked).toContain('image/png');
    expect(JSON.stringify(messages)).not.toContain(tiny.png.toString('base64'));
  },
);

test('where a model rejects a request with images, the failure says that they may be why', async () => {
  const script: Script = () => ({ status: 400, body: { error: { message: 'Bad content.' } } });
  const { jobs } = await startJobRun({ script });
  const { body } = await post(jobs, { prompt: 'Look.', images: [sent('a', tiny.png)] });
  const { failure } = await finish(jobs, body.id);
  expect(failure?.message).toMatch(/Bad content\..*The job has images, which not every model sees/);
});

test('the same request again creates no second job, and other images are another request', async () => {
  const { jobs } = await startJobRun();
  const ask = async (content: Buffer) => {
    const headers = { 'Idempotency-Key': 'once' };
    const body = JSON.stringify({ prompt: 'Look.', images: [sent('a', content)] });
    const response = await jobs.post('job', body, headers);
    return { status: response.status, ...((await response.json()) as { id?: string }) };
  };
  const first = await ask(tiny.png);
  expect(await ask(tiny.png)).toMatchObject({ id: first.id });
  expect(await ask(tiny.gif)).toMatchObject({ status: 400 });
});
