// Comes before `headcount.js` in a process of its own, and has it take the server from the bundle.
import { registerHooks } from 'node:module';

const server = new URL('../../../dist/bundled/main.cjs', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === './server/main.ts'
      ? { url: server, format: 'commonjs', shortCircuit: true }
      : next(specifier, context),
});
