import { readFileSync } from 'node:fs';
import terser from '@rollup/plugin-terser';
import { transformSync } from 'amaro';
import { dashboard } from './rollup.dashboard.mjs';

// All of the tracker and of connect is erasable TypeScript, so taking the types out is the whole translation.
const stripTypes = {
  name: 'strip-types',
  transform: (code, id) => (id.endsWith('.ts') ? { code: transformSync(code).code, map: null } : null),
};

const copyTypes = (folder, ...files) => ({
  name: 'copy-types',
  generateBundle() {
    for (const fileName of files) {
      this.emitFile({ type: 'asset', fileName, source: readFileSync(`${folder}/${fileName}`, 'utf8') });
    }
  },
});

// One of the two words packs better than both. No text in the tracker has it.
const letForConst = {
  name: 'let-for-const',
  renderChunk: (code) => code.replace(/\bconst\b/g, 'let'),
};

// 2019 keeps terser from writing optional chaining, which is a syntax error in the browsers of older television sets.
// Brotli packs repeated `if` better than chains of ternaries. Arrows for functions are safe, as none is constructed.
const minify = terser({
  ecma: 2019,
  toplevel: true,
  compress: { passes: 3, conditionals: false, negate_iife: false, unsafe_arrows: true },
});

export default [
  {
    input: 'tracker/script.ts',
    plugins: [stripTypes, letForConst, minify],
    output: { file: 'dist/hc.js', format: 'iife', strict: false },
  },
  {
    input: 'tracker/module.ts',
    plugins: [stripTypes, copyTypes('tracker', 'headcount.d.ts')],
    output: { file: 'dist/headcount.js', format: 'es' },
  },
  ...['fetch', 'express'].map((name) => ({
    input: `connect/${name}.ts`,
    plugins: [
      stripTypes,
      copyTypes('connect/types', `${name}.d.ts`, 'options.d.ts'),
      letForConst,
      terser({ ecma: 2022, module: true, compress: { passes: 3, unsafe_arrows: true } }),
    ],
    output: { file: `dist/connect/${name}.js`, format: 'es' },
  })),
  dashboard,
];
