import { defineConfig } from 'vitest/config';
import { LeftOutReporter } from './test/support/machine/left-out-reporter.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/machine/chromium.ts',
    reporters: [new LeftOutReporter(), 'default'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
    // Two cores: more workers only make the browser and load tests compete.
    maxWorkers: 2,
  },
});
