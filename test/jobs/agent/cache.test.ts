import { expect, test } from 'vitest';
import { runScripted } from '../../support/jobs/agent-run.ts';
import { inOrder } from '../../support/jobs/model-server.ts';

const pages = Array.from({ length: 12 }, (_, n) => `page-${n}.md`);
const manyCalls = { calls: pages.map((path) => ({ tool: 'write', input: { path, content: 'x\n' } })) };

interface Marked {
  messages: { content: { cache_control?: object }[] }[];
}

test('the end of each request is marked for the cache, and that of the request before it', async () => {
  const { server } = await runScripted(inOrder(manyCalls, manyCalls, { text: 'Done' }), {
    kind: 'anthropic',
  });
  const marks = server.requests.map(({ body }) =>
    (body as unknown as Marked).messages.flatMap(({ content }, index) =>
      content.some((part) => part.cache_control) ? [index] : [],
    ),
  );
  expect(marks).toEqual([[0], [0, 2], [2, 4]]);
});

test('requests of a job carry its key to OpenAI, which finds their beginning in its cache by it', async () => {
  const script = inOrder(manyCalls, { text: 'Done' });
  const { server } = await runScripted(script, { kind: 'responses', cacheKey: 'job_1' });
  expect(server.requests.map(({ body }) => body.prompt_cache_key)).toEqual(['job_1', 'job_1']);
});
