#!/bin/sh
':' //; headcount=$(dirname "$(readlink -f "$0")"); . "$headcount/launch.sh"; exec "$node" "$0" "$@"
// To a shell the line above is a program, which goes on with the right Node, and to Node it is a text and a comment.
const { existsSync } = await import('node:fs');
// Node takes no TypeScript from below `node_modules`, so a package has what the build made of it.
const isPackage = !existsSync(new URL('server/main.ts', import.meta.url));
if (isPackage && !existsSync(new URL('dist/server/main.js', import.meta.url))) {
  process.stderr.write(
    'This package of Headcount was packed before anything was built: run "npm run build && npm pack" and install what that makes.\n',
  );
  process.exit(1);
}
await import('./own-node.js');
// For a server that gives memory back. It comes before anything is compiled, as V8 takes nothing that it made with other flags.
const { setFlagsFromString } = await import('node:v8');
setFlagsFromString('--expose-gc');
// The main thread has its heap by now: this is for the store's threads, where what a batch leaves behind is small and dies at
// once. A flag, as that of the command line goes before the limits that a thread is given.
setFlagsFromString('--max-semi-space-size=2');
// What was compiled once is not compiled again: a start is faster and takes 50 MB less, as the types need not be stripped.
// The variable is for worker threads, which do not inherit the setting.
const { enableCompileCache } = await import('node:module');
process.env.NODE_COMPILE_CACHE ??= `${import.meta.dirname}/node_modules/.cache/headcount`;
enableCompileCache(process.env.NODE_COMPILE_CACHE);
await import(isPackage ? './dist/server/main.js' : './server/main.ts');
