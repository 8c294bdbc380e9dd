// Comes before `headcount.js` in a process of its own, and has it take the server from the bundle. JavaScript, as Node keeps
// no compiled copy of what `--import` names: to take types out of it would be a third of the start of a process.
import { registerHooks } from 'node:module';

const server = new URL('../../../dist/bundled/main.cjs', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === './server/main.ts'
      ? { url: server, format: 'commonjs', shortCircuit: true }
      : next(specifier, context),
});
