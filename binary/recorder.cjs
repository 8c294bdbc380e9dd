'use strict';
// Stands before `loader.cjs` while the one file is built: gives it its assets from a folder, and writes what V8 made of
// the scripts by the end, which holds the functions that ran.
const { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } =
  process.getBuiltinModule('node:fs');
const { join } = process.getBuiltinModule('node:path');
const sea = process.getBuiltinModule('node:sea');
const vm = process.getBuiltinModule('node:vm');
const { isMainThread, threadId } = process.getBuiltinModule('node:worker_threads');

const folder = process.env.ASSETS;
const everyMs = 200;
const scripts = new Map();

sea.isSea = () => true;
sea.getAssetKeys = () => readdirSync(folder, { recursive: true });
sea.getRawAsset = (key) => {
  // There is none yet.
  if (key.startsWith('cache/')) return new ArrayBuffer(0);
  const { buffer, byteOffset, length } = readFileSync(join(folder, key));
  return buffer.slice(byteOffset, byteOffset + length);
};
sea.getAsset = (key) => readFileSync(join(folder, key), 'utf8');
vm.Script = class extends vm.Script {
  constructor(text, { filename }) {
    super(text, { filename });
    scripts.set(filename.replace('headcount/', ''), this);
  }
};

/** Of scripts that no server needs at first, their outlines. */
function compileOthers() {
  for (const name of readdirSync(join(folder, 'code'))) {
    if (!scripts.has(name))
      new vm.Script(readFileSync(join(folder, 'code', name), 'latin1'), { filename: name });
  }
}

/** A thread is ended without being asked, so that each writes all the time. */
function write() {
  if (isMainThread) compileOthers();
  const cache = join(folder, `caches/${threadId}`);
  mkdirSync(cache, { recursive: true });
  for (const [name, script] of scripts) {
    writeFileSync(join(cache, `${name}.new`), script.createCachedData());
    renameSync(join(cache, `${name}.new`), join(cache, name));
  }
}

setInterval(write, everyMs).unref();
