/** A server that runs an outside agent, so that a test can kill it. */
import { runCommand } from '../../../server/jobs/agent/command/command.ts';

const [directory = '', ...argv] = process.argv.slice(2);
await runCommand({
  argv,
  directory,
  prompt: 'Work.',
  env: {},
  limits: { timeMs: 60_000 },
  graceMs: 1_000,
  secrets: [],
  signal: new AbortController().signal,
  onEvent: () => {},
});
