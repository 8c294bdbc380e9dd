import type { TestContext } from 'vitest';
import { findProgram } from './program.ts';

/**
 * Leaves a test out that this machine cannot run. The end of the run reports so (left-out-reporter.ts); where
 * everything has to run, as in `.ci/run`, the test fails.
 */
export function leaveOut(context: TestContext, reason: string): never {
  if (process.env.HEADCOUNT_TEST_ALL === '1') throw new Error(`This test has to run, but ${reason}.`);
  return context.skip(reason);
}

export function needProgram(context: TestContext, name: string): void {
  if (findProgram(name) === undefined) leaveOut(context, `${name} is not installed`);
}
