'use strict';
// Stands before `loader.cjs` while the one file is built: gives it its assets from a folder, and writes what V8 made of
// the scripts by the end, which holds the functions that ran.
const { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } =
  process.getBuiltinModule('node:fs');
const { join } = process.getBuiltinModule('node:path');
const sea = process.getBuiltinModule('node:sea');
const vm = process.getBuiltinModule('node:vm');
const { isMainThread, threadId } = process.getBuiltinModule('node:worker_threads');

const { ASSETS: folder, CACHES: caches } = process.env;
const everyMs = 200;
const scripts = new Map();

sea.isSea = () => true;
sea.getAssetKeys = () => readdirSync(folder, { recursive: true });
sea.getRawAsset = (key) => {
  const { buffer, byteOffset, length } = readFileSync(join(folder, key));
  return buffer.slice(byteOffset, byteOffset + length);
};
sea.getAsset = (key) => readFileSync(join(folder, key), 'utf8');

const { Script } = vm;
vm.Script = class extends Script {
  constructor(text, { filename }) {
    super(text, { filename });
    scripts.set(filename.replace('headcount/', ''), this);
  }
};

/** A thread is ended without being asked, so that each writes all the time. */
function write() {
  keep(String(threadId), scripts);
  if (isMainThread) keep('others', compileOthers());
}

/** Of scripts that no server needs at first, their outlines. */
function compileOthers() {
  const parts = readFileSync(join(folder, 'parts'));
  const others = Object.entries(JSON.parse(sea.getAsset('parts.json'))).filter(
    ([name]) => !scripts.has(name),
  );
  return others.map(([name, { code }]) => {
    const [from, length] = code;
    return [name, new Script(parts.latin1Slice(from, from + length), { filename: `headcount/${name}` })];
  });
}

function keep(kind, compiled) {
  const place = join(caches, kind);
  mkdirSync(place, { recursive: true });
  for (const [name, script] of compiled) {
    writeFileSync(join(place, `${name}.new`), script.createCachedData());
    renameSync(join(place, `${name}.new`), join(place, name));
  }
}

setInterval(write, everyMs).unref();
