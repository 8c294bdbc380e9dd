import { numberWords } from '../../../server/jobs/text/claims.ts';
import { snippetsOf } from '../snippet.ts';
import type { Check } from '../task.ts';

const [, ...words] = numberWords;

/** Each number, address and version that is new stands in what the agent could know. */
export const sources: Check = {
  name: 'sources',
  find: ({ added, after, sources }) => {
    const known = new Set([...readNumbers(sources), ...numbersInWords(sources)]);
    return added.flatMap(({ path, text }) => {
      const isCode = linesOfCode(after.get(path) ?? '').has(text);
      const addresses = readAddresses(text).filter((address) => !isKnown(address, sources));
      const numbers = (isCode ? readVersions(text) : readNumbers(text)).filter(
        (number) => !known.has(number),
      );
      return [...addresses, ...numbers].map((made) => `${path}: ${JSON.stringify(made)} has no source.`);
    });
  },
};

const address = /https?:\/\/[^\s"'`<>)\]}]+/g;

function readAddresses(text: string): string[] {
  return Array.from(text.matchAll(address), ([found]) => found.replace(/[.,;:]+$/, ''));
}

/** Versions, times and sizes, too. What numbers the steps of a list says nothing. */
function readNumbers(text: string): string[] {
  const plain = text.replace(/^\s*\d+[.)]\s/gm, '').replace(address, '');
  return plain.match(/\d+(?:[.,:]\d+)*/g) ?? [];
}

/** Other numbers in an example are made up, as they should be. */
function readVersions(text: string): string[] {
  return text.replace(address, '').match(/(?<=[@v]|==)\d+(?:\.\d+)*|\d+(?:\.\d+){2,}/g) ?? [];
}

function linesOfCode(text: string): Set<string> {
  return new Set(snippetsOf(text).flatMap((code) => code.split('\n')));
}

function numbersInWords(text: string): string[] {
  return words.flatMap((word, index) =>
    new RegExp(`\\b${word}\\b`, 'i').test(text) ? [`${index + 1}`] : [],
  );
}

/** Made of parts that are known, in an example; what stands for a value may have any name. */
function isKnown(found: string, known: string): boolean {
  if (known.includes(found)) return true;
  const { host, pathname } = new URL(found);
  const parts = decodeURI(pathname).split(/[/?]/);
  return known.includes(host) && parts.every((part) => /^[$:{<]/.test(part) || known.includes(part));
}
