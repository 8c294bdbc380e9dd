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
const home = import.meta.dirname;
const server = [
  ...['server', 'shared', 'dist'].map((path) => `--watch-path=${home}/${path}`),
  `${home}/headcount.js`,
  'serve',
];

const start = (args, cwd) => spawn(process.execPath, args, { cwd, stdio: 'inherit' });
// Settings of the server may name files, which count from the folder where it was called.
const children = [start(rollup, home), start(dashboard, home), start(server, process.cwd())];

/** All or none. Ctrl+C reaches them by itself, but a signal to this process alone does not. */
function end() {
  for (const child of children) child.kill();
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, end);
for (const child of children) child.on('exit', end);
