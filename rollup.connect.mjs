import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import terser from '@rollup/plugin-terser';
import { createTar } from 'nanotar';
import { letForConst, stripTypes } from './rollup.plugins.mjs';

const minify = terser({ ecma: 2022, module: true, compress: { passes: 3, unsafe_arrows: true } });

/** Files of earlier builds may have other names. */
const clear = (part) => ({ buildStart: () => rmSync(`dist/${part}`, { recursive: true, force: true }) });

/** CommonJS has types of its own, and so have the files that these import. */
const copyTypes = (extension, types) => ({
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
  return { file: `dist/${part}/${name}.${extension}`, format, plugins: [copyTypes(typesExtension, types)] };
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
    plugins: [clear('connect'), stripTypes, letForConst, minify],
    output: outputs('connect', 'fetch', { fetch: 'connect/types/fetch.d.ts', ...options }),
  },
  {
    input: 'connect/express.ts',
    plugins: [stripTypes, letForConst, minify],
    output: outputs('connect', 'express', { express: 'connect/types/express.d.ts', ...options }),
  },
  {
    input: 'tracker/module.ts',
    plugins: [stripTypes, pack('connect')],
    output: outputs('connect', 'tracker', { tracker: 'tracker/headcount.d.ts' }),
  },
  {
    input: 'client/main.ts',
    plugins: [clear('client'), stripTypes, minify, pack('client')],
    output: outputs('client', 'client', {
      client: 'client/client.d.ts',
      operations: 'client/operations.d.cts',
    }),
  },
];
