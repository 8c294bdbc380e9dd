import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { citusUrl, takeCluster } from './citus-cluster.ts';
import { folderVariable } from './postgres-folder.ts';

/** Waits for the end of its parent process, however that ends, and then for that of the server. */
const script = `
trap '' INT TERM HUP
cat > /dev/null
for file in "$1"/*/data/postmaster.pid; do
  pid=$(head -n 1 "$file" 2> /dev/null) && kill -QUIT "$pid" 2> /dev/null
  while [ -n "$pid" ] && kill -0 "$pid" 2> /dev/null; do sleep 0.1; done
done
rm -rf "$1"
`;

/** What tests start of PostgreSQL ends with the run, also with one that is killed. */
export async function setup(): Promise<() => Promise<void>> {
  const leaveCluster = citusUrl === undefined ? undefined : await takeCluster();
  const folder = process.env[folderVariable] as string;
  mkdirSync(folder, { recursive: true });
  const guard = spawn('/bin/sh', ['-c', script, 'sh', folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  // Until then it keeps nobody from ending.
  (guard.stdin as Socket).unref();
  return async () => {
    guard.ref();
    const ended = once(guard, 'exit');
    guard.stdin.end();
    await ended;
    await leaveCluster?.();
  };
}
