import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../support/jobs/model/model-server.ts';
import { generalChecks, judge } from './judge.ts';
import { runTask } from './run.ts';
import { scriptedModel } from './scripted-model.ts';
import { tasks } from './tasks.ts';
import { startWorld, type World } from './world.ts';

let model: ModelServer;
let world: World;

beforeAll(async () => {
  model = await startModelServer(scriptedModel);
  world = await startWorld({ HEADCOUNT_MODEL_BASE_URL: `${model.url}/v1` });
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await model.close();
});

async function run(task: (typeof tasks)[number], name: string) {
  const outcome = await runTask(world, task, `compatible/${name}`);
  // A script whose calls do not fit the site would fail, or pass, for nothing.
  expect(outcome.refused).toEqual([]);
  return await judge(outcome);
}

describe.each(tasks.map((task) => [task.name, task] as const))('%s', (_name, task) => {
  test('passes its checks where it is done well', async () => {
    expect(await run(task, 'good')).toEqual([]);
  });

  test.each(task.bad.map(({ fails }, n) => [fails.join(', '), n + 1, fails] as const))(
    'fails where it is not: %s',
    async (_fails, number, fails) => {
      const faults = await run(task, `bad-${number}`);
      expect(
        faults.map(({ check }) => check),
        JSON.stringify(faults, null, 2),
      ).toEqual(fails);
    },
  );
});

test('every check is failed by some run', () => {
  const failed = (checks: readonly { fails: readonly string[] }[]) => checks.flatMap(({ fails }) => fails);
  const general = new Set(failed(tasks.flatMap(({ bad }) => bad)));
  expect(generalChecks.map(({ name }) => name).filter((name) => !general.has(name))).toEqual([]);
  const own = tasks.flatMap(({ name, checks, bad }) =>
    checks.filter((check) => !failed(bad).includes(check.name)).map((check) => `${name}: ${check.name}`),
  );
  expect(own).toEqual([]);
});
