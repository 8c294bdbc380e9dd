import type { Reporter, TestModule } from 'vitest/node';

/** Names the tests that passed only at the second try, and why the first failed. Each is a defect. */
export class FlakyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules)
      for (const test of module.children.allTests('passed'))
        if (test.diagnostic()?.flaky) {
          const causes = test.result().errors?.map(({ message, stack }) => `  ${stack ?? message}\n`) ?? [];
          process.stdout.write(`\n Flaky: ${module.relativeModuleId} > ${test.fullName}\n${causes.join('')}`);
        }
  }
}
