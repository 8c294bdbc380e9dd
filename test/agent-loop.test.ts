import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runAgent } from '../server/jobs/agent.ts';
import { defaultLimits } from '../server/jobs/limits.ts';
import { createModel } from '../server/jobs/model.ts';
import { inOrder, startModelServer } from './support/model-server.ts';

test('x', async () => {
  const dir = await mkdtemp('/tmp/agt-');
  await writeFile(dir + '/a.md', 'Hello old world\n');
  for (const name of ['anthropic/claude-x', 'openai/gpt-x', 'google/gemini-2.5-pro', 'compatible/llama']) {
    await writeFile(dir + '/a.md', 'Hello old world\n');
    const server = await startModelServer(
      inOrder(
        {
          calls: [
            { tool: 'read', input: { path: 'a.md' } },
            { tool: 'search', input: { text: 'old' } },
          ],
        },
        { text: 'Editing.', calls: [{ tool: 'edit', input: { path: 'a.md', old: 'old', new: '$& new' } }] },
        { text: 'Greet a new world\n\nI did.' },
      ),
    );
    const model = createModel(name, {
      anthropic: { apiKey: 'k1', baseUrl: server.url },
      openai: { apiKey: 'k', baseUrl: server.url + '/v1' },
      google: { apiKey: 'g', baseUrl: server.url + '/v1beta' },
      compatible: { baseUrl: server.url + '/v1' },
    });
    const events: unknown[] = [];
    const result = await runAgent({
      model,
      directory: dir,
      prompt: 'Do',
      history: [],
      limits: defaultLimits,
      searchPath: '/usr/bin:/bin',
      secrets: [],
      signal: new AbortController().signal,
      now: Date.now,
      wait: async () => {},
      onEvent: (e) => void events.push(e),
      onMessages: () => {},
    });
    console.log(
      name,
      result,
      JSON.stringify(events, null, 1),
      server.requests.map((r) => [r.path, r.tools, r.prompts, r.results, r.instructions.length]),
      JSON.stringify(server.requests.at(-1)?.body).slice(-1500),
    );
    await server.close();
  }
});
