import { defineConfig } from 'vitest/config';
import { LeftOutReporter } from './test/support/machine/left-out-reporter.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/machine/chromium.ts',
    reporters: [new LeftOutReporter(), 'default'],
    // Only against hanging: what must be quick says so itself. Other work on the machine makes a test ten times as long.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    // Two cores: more workers only make the browser and load tests compete.
    maxWorkers: 2,
  },
});
