// Builds what browsers and sites load, and starts the server anew, whenever a source of either changes.
import './own-node.js';
import { spawn } from 'node:child_process';

const rollup = [
  'node_modules/rollup/dist/bin/rollup',
  '--config',
  '--silent',
  '--watch',
  '--no-watch.clearScreen',
];
const dashboard = ['rolldown.dashboard.mjs', '--watch'];
// The server reads what is built when it starts.
const server = [
  ...['server', 'shared', 'dist'].map((path) => `--watch-path=${path}`),
  'headcount.js',
  'serve',
];

const children = [rollup, dashboard, server].map((args) =>
  spawn(process.execPath, args, { stdio: 'inherit' }),
);

/** All or none. Ctrl+C reaches them by itself, but a signal to this process alone does not. */
function end() {
  for (const child of children) child.kill();
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, end);
for (const child of children) child.on('exit', end);
