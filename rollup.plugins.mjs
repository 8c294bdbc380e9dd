import { dirname, resolve } from 'node:path';
import { transform } from 'sucrase';

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
export const letForConst = {
  name: 'let-for-const',
  renderChunk: (code) => code.replace(/\bconst\b/g, 'let'),
};

// No minifier leaves out the name of an error that nobody asks for.
export const noNameOfErrors = {
  name: 'no-name-of-errors',
  renderChunk: (code) => code.replace(/\bcatch\(\w+\)\{\}/g, 'catch{}'),
};

// In the block of its `try` a script needs no function around it to leave the page no names.
export const namesIntoTry = {
  name: 'names-into-try',
  renderChunk: (code) =>
    code.replace(/^(let [^;]*;)try\{/, 'try{$1').replace(/^(try\{let [^;]*);let /, '$1,'),
};

// The line feed at the end of a file is three bytes once it is packed.
export const noLastLine = {
  name: 'no-last-line',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) chunk.code = chunk.code.trimEnd();
  },
};
