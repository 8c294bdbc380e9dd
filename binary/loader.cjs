'use strict';
// The first script of the one file, and of its threads: it runs the bundle, whose parts are assets. A part is compiled
// when it is first asked for, with what V8 made of it when the file was built.
const { getRawAsset } = process.getBuiltinModule('node:sea');
const { Script } = process.getBuiltinModule('node:vm');
const { isMainThread } = process.getBuiltinModule('node:worker_threads');

const loaded = new Map();

function load(name) {
  const known = loaded.get(name);
  if (known) return known.exports;
  const module = { exports: {} };
  loaded.set(name, module);
  // One byte a character, as the build has escaped all others.
  const text = Buffer.from(getRawAsset(`code/${name}`)).latin1Slice();
  const cachedData = Buffer.from(getRawAsset(`cache/${name}`));
  const run = new Script(text, { filename: `headcount/${name}`, cachedData }).runInThisContext();
  run(module.exports, find, module, process.execPath, process.execPath);
  return module.exports;
}

function find(id) {
  if (id.startsWith('./')) return load(id.slice(2));
  const module = process.getBuiltinModule(id);
  if (module === undefined) throw new Error(`There is no module ${id} in this file.`);
  return module;
}

load(isMainThread ? 'main.js' : 'worker.js');
