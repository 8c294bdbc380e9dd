import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import terser from '@rollup/plugin-terser';
import { connect } from './rollup.connect.mjs';
import { letForConst, namesIntoTry, noLastLine, noNameOfErrors, stripTypes } from './rollup.plugins.mjs';

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
const minify = terser({
  ecma: 2019,
  toplevel: true,
  compress: { passes: 3, conditionals: false, negate_iife: false, unsafe_arrows: true },
});

export default [
  {
    input: 'tracker/script.ts',
    plugins: [stripTypes, letForConst, minify, noNameOfErrors, namesIntoTry, noLastLine],
    output: { file: 'dist/hc.js', format: 'es' },
  },
  {
    input: 'tracker/events.ts',
    plugins: [stripTypes, letForConst, minify, noNameOfErrors, namesIntoTry, noLastLine],
    output: { file: 'dist/hc-events.js', format: 'es' },
  },
  {
    input: 'tracker/events.ts',
    plugins: [explainToConsole, stripTypes, minify],
    output: { file: 'dist/hc-debug.js', format: 'iife', strict: false },
  },
  {
    input: 'tracker/module.ts',
    plugins: [stripTypes, copyTypes],
    output: { file: 'dist/headcount.js', format: 'es' },
  },
  ...connect,
];
