import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Finished, runStarted } from '../support/child.ts';
import { startModelServer } from '../support/jobs/model/model-server.ts';
import { scriptedModel } from './scripted-model.ts';

const command = join(import.meta.dirname, 'evaluate.ts');

function evaluate(args: string[], env: Record<string, string> = {}): Promise<Finished> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return runStarted(
    spawn(process.execPath, [command, ...args], {
      env: { PATH, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }), ...env },
      stdio: 'pipe',
    }),
  );
}

async function startScripted(): Promise<Record<string, string>> {
  const model = await startModelServer(scriptedModel);
  onTestFinished(() => model.close());
  return { HEADCOUNT_MODEL_BASE_URL: `${model.url}/v1` };
}

test('a model that does its tasks well passes, as a table', async () => {
  const words = ['--model', 'compatible/good', '--task', 'line ends and tabs', '--runs', '2'];
  const { code, stdout, stderr } = await evaluate(words, await startScripted());
  expect([code, stderr]).toEqual([0, 'line ends and tabs … passed\n']);
  // Each run has two answers of 1,100 tokens, and changes two lines.
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['task', 'result', 'runs', 'cost', 'tokens', 'lines'],
    ['line ends and tabs', 'passed', '2 of 2', 'unknown', '4400', '8'],
    ['sum', '1 of 1', '2 of 2', 'unknown', '4400', '8'],
    [''],
  ]);
});

test('a model that does not is told with what was wrong, as JSON', async () => {
  const words = ['--model', 'compatible/bad-1', '--task', 'an unknown fact', '--runs', '1', '--json'];
  const { code, stdout } = await evaluate(words, await startScripted());
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    model: 'compatible/bad-1',
    tasks: [
      {
        task: 'an unknown fact',
        passes: false,
        runs: [
          { faults: [{ check: 'sources' }, { check: 'known fact' }, { check: 'unknown fact' }], cost: null },
        ],
      },
    ],
    sum: { passed: 0, of: 1, tokens: 2_200, lines: 2 },
  });
});

const wrong: [args: string[], sentence: string][] = [
  [[], 'Name a model, such as --model anthropic/claude-opus-4-5.'],
  [['--model', 'claude'], '--model takes anthropic, openai, google, compatible, a slash and a name'],
  [['--model', 'anthropic/claude-opus-4-5'], 'Set ANTHROPIC_API_KEY to the key of anthropic/claude-opus-4-5'],
  [['--model', 'compatible/x'], 'Set HEADCOUNT_MODEL_BASE_URL to the address of its server'],
];

test.each(wrong)('words that cannot be followed are answered with what to do: %j', async (args, sentence) => {
  const { code, stdout, stderr } = await evaluate(args);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(sentence)]);
});
