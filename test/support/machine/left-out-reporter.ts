import type { Reporter, TestModule } from 'vitest/node';

/** Says which tests were left out and why, one line for each reason. */
export class LeftOutReporter implements Reporter {
  readonly #others: readonly string[];

  /** @param others what else this run has not, and why */
  constructor(others: readonly string[] = []) {
    this.#others = others;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>();
    for (const test of modules.flatMap((module) => [...module.children.allTests('skipped')])) {
      const result = test.result();
      const reason = (result.state === 'skipped' && result.note) || undefined;
      if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    }
    const tests = [...counts].map(
      ([reason, count]) => `${count} ${count === 1 ? 'test' : 'tests'}, as ${reason}`,
    );
    const lines = [...tests, ...this.#others].map((line) => ` Left out: ${line}.\n`);
    if (lines.length > 0) process.stdout.write(`\n${lines.join('')}`);
  }
}
