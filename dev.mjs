// Builds what browsers and sites load, and starts the server anew, whenever a source of either changes.
import { spawn } from 'node:child_process';

const rollup = [
  'node_modules/rollup/dist/bin/rollup',
  '--config',
  '--silent',
  '--watch',
  '--no-watch.clearScreen',
];
// The server reads what is built when it starts.
const server = [
  ...['server', 'shared', 'dist'].map((path) => `--watch-path=${path}`),
  'headcount.js',
  'serve',
];

const children = [rollup, server].map((args) => spawn(process.execPath, args, { stdio: 'inherit' }));

/** Both or none. Ctrl+C reaches them by itself, but a signal to this process alone does not. */
function end() {
  for (const child of children) child.kill();
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, end);
for (const child of children) child.on('exit', end);
