'use strict';
// The first script of the one file, of its threads and its processes: it runs the bundle. A part is compiled when it is first asked for,
// with what V8 made of it when the file was built.
const { getAsset, getRawAsset } = process.getBuiltinModule('node:sea');
const { Script } = process.getBuiltinModule('node:vm');
const { isMainThread, workerData } = process.getBuiltinModule('node:worker_threads');

// All parts are one asset, as Node looks at each asset at the start, and brings its pages into memory.
const parts = getRawAsset('parts');
const index = JSON.parse(getAsset('parts.json', 'utf8'));
const loaded = new Map();

const bytesOf = ([from, length]) => Buffer.from(parts, from, length);

function load(name) {
  const known = loaded.get(name);
  if (known) return known.exports;
  const module = { exports: {} };
  loaded.set(name, module);
  const { code, cache } = index[name];
  // One byte a character, as the build has escaped all others.
  const options = { filename: `headcount/${name}`, cachedData: bytesOf(cache) };
  const run = new Script(bytesOf(code).latin1Slice(), options).runInThisContext();
  run(module.exports, find, module, process.execPath, process.execPath);
  return module.exports;
}

function find(id) {
  if (id.startsWith('./')) return load(id.slice(2));
  const module = process.getBuiltinModule(id);
  if (module === undefined) throw new Error(`There is no module ${id} in this file.`);
  return module;
}

// As headcount.js does, and before anything is compiled.
if (isMainThread) process.getBuiltinModule('node:v8').setFlagsFromString('--max-semi-space-size=2');
const [, , option, part] = process.argv;
load(isMainThread ? (option === '--part' ? part : 'main.js') : workerData.part);
