import type { Reporter, TestModule } from 'vitest/node';

const count = 10;

/** Says after a run of many files which took longest. */
export class SlowestReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= count) return;
    const secondsOf = (module: TestModule) => module.diagnostic().duration / 1000;
    const lines = [...modules]
      .sort((a, b) => secondsOf(b) - secondsOf(a))
      .slice(0, count)
      .map(
        (module) =>
          ` ${secondsOf(module).toFixed(0)} s  ${module.relativeModuleId} (${module.project.name})\n`,
      );
    process.stdout.write(`\n The slowest files:\n${lines.join('')}`);
  }
}
