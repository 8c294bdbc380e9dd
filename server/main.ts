import { runCommandLine } from './command-line.ts';

/** A signal asks for an orderly end; the same a second time ends the process at once. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}

// The reader of our output may be gone (`npm start | head`), which must not keep the server from an orderly stop.
process.stdout.on('error', () => undefined);

// Without a top-level await, which the scripts of the one file cannot have.
void runCommandLine(process.argv.slice(2), {
  env: process.env,
  // Touched only by who reads it: looking at it would keep the process from ending.
  get input() {
    return process.stdin;
  },
  output: process.stdout,
  errors: process.stderr,
  untilStopped,
}).then((code) => {
  if (code !== 0) process.exitCode = code;
});
