import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import terser from '@rollup/plugin-terser';
import { createTar } from 'nanotar';
import { transform } from 'sucrase';

// Builds the scripts and the packages for sites, or with --configServer the server that npm packs.

// All but the dashboard is erasable TypeScript, so taking the types out is the whole translation.
const withoutTypes = (code) =>
  transform(code, { transforms: ['typescript'], keepUnusedImports: true, disableESTransforms: true }).code;

export const stripTypes = {
  name: 'strip-types',
  transform: (code, id) => (id.endsWith('.ts') ? { code: withoutTypes(code), map: null } : null),
};

// What a thread or a process of the server runs is a file of its own.
export const threads = {
  name: 'threads',
  transform(code, id) {
    const translated = code.replace(/new URL\('(\.[\w/-]+\.ts)', import\.meta\.url\)/g, (_all, file) => {
      const reference = this.emitFile({ type: 'chunk', id: resolve(dirname(id), file) });
      return `new URL(import.meta.ROLLUP_FILE_URL_${reference})`;
    });
    return { code: translated, map: null };
  },
};

// One of the two words packs better than both. No text in the tracker and in connect has it.
const letForConst = {
  name: 'let-for-const',
  renderChunk: (code) => code.replace(/\bconst\b/g, 'let'),
};

// No minifier leaves out the name of an error that nobody asks for.
const noNameOfErrors = {
  name: 'no-name-of-errors',
  renderChunk: (code) => code.replace(/\bcatch\(\w+\)\{\}/g, 'catch{}'),
};

// In the block of its `try` a script needs no function around it to leave the page no names.
const namesIntoTry = {
  name: 'names-into-try',
  renderChunk: (code) =>
    code.replace(/^(let [^;]*;)try\{/, 'try{$1').replace(/^(try\{let [^;]*);let /, '$1,'),
};

// The line feed at the end of a file is three bytes once it is packed.
const noLastLine = {
  name: 'no-last-line',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) chunk.code = chunk.code.trimEnd();
  },
};

const minifyPackage = terser({ ecma: 2022, module: true, compress: { passes: 3, unsafe_arrows: true } });

/** Files of earlier builds may have other names. */
const clear = (part) => ({ buildStart: () => rmSync(`dist/${part}`, { recursive: true, force: true }) });

/** CommonJS has types of its own, and so have the files that these import. */
const copyPackageTypes = (extension, types) => ({
  name: 'copy-types',
  generateBundle() {
    for (const [name, path] of Object.entries(types)) {
      // A module may import types of CommonJS, so that large ones need not be there twice.
      if (path.endsWith('.d.cts') && extension === 'ts') continue;
      const source = readFileSync(path, 'utf8').replaceAll('.d.ts', `.d.${extension}`);
      this.emitFile({ type: 'asset', fileName: `${name}.d.${extension}`, source });
    }
  },
});

const output = (part, name, format, types) => {
  const [extension, typesExtension] = format === 'es' ? ['js', 'ts'] : ['cjs', 'cts'];
  return {
    file: `dist/${part}/${name}.${extension}`,
    format,
    plugins: [copyPackageTypes(typesExtension, types)],
  };
};

const outputs = (part, name, types) => ['es', 'cjs'].map((format) => output(part, name, format, types));

/** What is in the package of that name, package.json apart. */
function readFiles(name) {
  const built = readdirSync(`dist/${name}`).filter((file) => /\.([cm]?js|ts|cts)$/.test(file));
  const paths = ['LICENSE', `${name}/README.md`, ...built.sort().map((file) => `dist/${name}/${file}`)];
  return paths.map((path) => ({
    name: path.replace(/.*\//, ''),
    data: readFileSync(path),
  }));
}

/**
 * The version goes with the content and not with Headcount's: sites keep the checksum of what they installed, and an update
 * of Headcount that left this package alone must leave that alone too.
 */
function describe(part, files) {
  const manifest = JSON.parse(readFileSync(`${part}/package.json`, 'utf8'));
  const hash = createHash('sha256').update(JSON.stringify(manifest));
  for (const { name, data } of files) hash.update(`${name}\n${data.length}\n`).update(data);
  const { name, ...rest } = manifest;
  const version = `0.0.0-sha256-${hash.digest('hex').slice(0, 12)}`;
  return Buffer.from(`${JSON.stringify({ name, version, ...rest }, null, 2)}\n`);
}

// The time that npm gives to all files of a package.
const attrs = { mtime: Date.parse('1985-10-26T08:15:00Z'), mode: '644', uid: 0, gid: 0 };

/** The folder becomes a whole package, and the package a file that npm installs. */
function pack(part) {
  let written = 0;
  return {
    name: 'pack',
    buildStart() {
      written = 0;
    },
    writeBundle() {
      // Both formats are written at the same time, and either may be the last.
      written += 1;
      if (written < 2) return;
      const files = readFiles(part);
      const all = [{ name: 'package.json', data: describe(part, files) }, ...files];
      for (const { name, data } of all) writeFileSync(`dist/${part}/${name}`, data);
      const entries = all.map(({ name, data }) => ({ name: `package/${name}`, data }));
      writeFileSync(`dist/${part}.tgz`, gzipSync(createTar(entries, { attrs }), { level: 9 }));
    },
  };
}

const options = { options: 'connect/types/options.d.ts' };

export const connect = [
  {
    input: 'connect/fetch.ts',
    plugins: [clear('connect'), stripTypes, letForConst, minifyPackage],
    output: outputs('connect', 'fetch', { fetch: 'connect/types/fetch.d.ts', ...options }),
  },
  {
    input: 'connect/express.ts',
    plugins: [stripTypes, letForConst, minifyPackage],
    output: outputs('connect', 'express', { express: 'connect/types/express.d.ts', ...options }),
  },
  {
    input: 'tracker/module.ts',
    plugins: [stripTypes, pack('connect')],
    output: outputs('connect', 'tracker', { tracker: 'tracker/headcount.d.ts' }),
  },
  {
    input: 'client/main.ts',
    plugins: [clear('client'), stripTypes, minifyPackage, pack('client')],
    output: outputs('client', 'client', {
      client: 'client/client.d.ts',
      operations: 'client/operations.d.cts',
    }),
  },
];

/** Has the script tell the console what becomes of views. */
const explainToConsole = {
  name: 'explain-to-console',
  resolveId: (source, importer) =>
    source.endsWith('/explain.ts') ? join(dirname(importer), 'explain-to-console.ts') : null,
};

const copyTypes = {
  name: 'copy-types',
  generateBundle() {
    const source = readFileSync('tracker/headcount.d.ts', 'utf8');
    this.emitFile({ type: 'asset', fileName: 'headcount.d.ts', source });
  },
};

// 2019 keeps terser from writing optional chaining, which is a syntax error in the browsers of older television sets.
// Brotli packs repeated `if` better than chains of ternaries. Arrows for functions are safe, as none is constructed.
const minify = (nth_identifier) =>
  terser({
    ecma: 2019,
    toplevel: true,
    compress: { passes: 3, conditionals: false, negate_iife: false, unsafe_arrows: true },
    mangle: nth_identifier ? { nth_identifier } : {},
  });

// Names of variables, the most frequent first, in an order that was searched for, as it packs some 15 bytes better.
// Another worker runs these functions: each is all that it needs.
const namesOfScript = { get: (n) => 'lut_neawkcivCyHLNQISDMzjEJqgmRF$UxOZfYrhAodGXVBTWbsKPp'[n] };
const namesOfEvents = { get: (n) => 'peas_gxurimftbdKVIMcvloyhFwq$zETkBROCLYDHPUAjXnSGWZJNQ'[n] };

const scripts = [
  {
    input: 'tracker/script.ts',
    plugins: [stripTypes, letForConst, minify(namesOfScript), noNameOfErrors, namesIntoTry, noLastLine],
    output: { file: 'dist/hc.js', format: 'es' },
  },
  {
    input: 'tracker/events.ts',
    plugins: [stripTypes, letForConst, minify(namesOfEvents), noNameOfErrors, namesIntoTry, noLastLine],
    output: { file: 'dist/hc-events.js', format: 'es' },
  },
  {
    input: 'tracker/events.ts',
    plugins: [explainToConsole, stripTypes, minify()],
    output: { file: 'dist/hc-debug.js', format: 'iife', strict: false },
  },
  {
    input: 'tracker/module.ts',
    plugins: [stripTypes, copyTypes],
    output: { file: 'dist/headcount.js', format: 'es' },
  },
  ...connect,
];

const json = {
  name: 'json',
  transform: (code, id) =>
    id.endsWith('.json')
      ? { code: `export default JSON.parse(${JSON.stringify(JSON.stringify(JSON.parse(code)))});`, map: null }
      : null,
};

/** The server and the command line as JavaScript, as Node takes no TypeScript from below `node_modules`. */
const server = {
  input: { main: 'server/main.ts' },
  // Packages come with npm.
  external: (id) => !/^[./]/.test(id),
  plugins: [stripTypes, json, threads, clear('server')],
  output: {
    dir: 'dist/server',
    format: 'es',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  },
};

export default ({ configServer }) => (configServer ? server : scripts);
