/**
 * Loaded before Headcount (`--import`), it gives it the first version of the rules, which recognised no AI client
 * outside the lists.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

interface Entry {
  version?: number;
  since?: number;
}

const catalogue = '/server/identity/catalogue.json';
const unlistedModule = '/server/identity/unlisted/unlisted.ts';
const isOfFirst = ({ version = 1, since = 1 }: Entry) => version === 1 && since === 1;

registerHooks({
  load(url, context, nextLoad) {
    if (url.endsWith(unlistedModule)) {
      return {
        format: 'module',
        source: 'export const identifyUnlisted = () => undefined;',
        shortCircuit: true,
      };
    }
    if (!url.endsWith(catalogue)) return nextLoad(url, context);
    const lists = JSON.parse(readFileSync(fileURLToPath(url), 'utf8')) as Record<string, Entry[]>;
    const first = Object.entries(lists).map(([name, list]) => [name, list.filter(isOfFirst)]);
    return { format: 'json', source: JSON.stringify(Object.fromEntries(first)), shortCircuit: true };
  },
});
