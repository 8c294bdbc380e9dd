import { defineConfig } from 'vitest/config';

/** Installs from the npm registry and takes minutes, so it is no part of `npm test`. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.check.ts'],
    testTimeout: 600_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
  },
});
