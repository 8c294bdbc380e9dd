// Goes on with the Node that launch.sh finds where the one that runs is too old: imported first, and in words that an old
// Node can read.
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

if (Number.parseInt(process.versions.node, 10) < 26) {
  const script = 'headcount=$0; . "$headcount/launch.sh"; exec "$node" "$@"';
  const home = dirname(fileURLToPath(import.meta.url));
  // Without what was meant for the older one.
  const args = ['-c', script, home, ...process.argv.slice(1)];
  // Since Node 22.15 a process can become another; before, this one waits for the other.
  if (process.execve) process.execve('/bin/sh', ['sh', ...args]);
  const child = spawn('/bin/sh', args, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  await new Promise(() => child.on('exit', (code, signal) => process.exit(signal ? 1 : code)));
}
