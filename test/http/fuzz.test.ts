import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../server/operations.ts';
import { faultsOf } from '../support/fuzz/contract.ts';
import { type FuzzedServer, startFuzzedServer } from '../support/fuzz/fuzzed-server.ts';
import { plansFor } from '../support/fuzz/request-plan.ts';
import { isOnPostgres } from '../support/store/chosen-engine.ts';

/** Requests to each operation, fewer where only the engine differs. More with HEADCOUNT_FUZZ_REQUESTS. */
const numRuns = Number(process.env.HEADCOUNT_FUZZ_REQUESTS ?? (isOnPostgres ? 8 : 25));
const timeout = 60_000 + numRuns * 250;

let server: FuzzedServer;

beforeAll(async () => {
  server = await startFuzzedServer();
});
afterAll(() => server.stop());

describe.each(operations.map((operation) => [operation.name, operation] as const))('%s', (_, operation) => {
  test('keeps to the contract whatever it is asked', { timeout }, async () => {
    await fc.assert(
      fc.asyncProperty(plansFor(operation, server.around(operation)), async (plan) => {
        const outcome = await server.send(plan);
        expect(faultsOf(operation, plan, outcome)).toEqual([]);
      }),
      { numRuns, endOnFailure: true },
    );
  });
});

test('what was accepted of all this is counted, and nothing besides', async () => {
  expect(server.accepted()).toBeGreaterThan(0);
  expect(await server.counted()).toBe(server.accepted());
});

test('the log names no defect, and no key', () => {
  const text = server.log.join('\n');
  expect(text).not.toMatch(/failed \(request|broke off|uncaught/);
  for (const secret of server.secrets()) expect(text).not.toContain(secret);
});
