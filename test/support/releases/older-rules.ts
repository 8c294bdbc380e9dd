/** Loaded before Headcount (`--import`), it gives it the first version of the rules, which told no AI client that no list has. */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

interface Entry {
  version?: number;
  since?: number;
}

const lists = ['/server/identity/catalogue.json', '/server/identity/rule-versions.json'];
const tellsUnlisted = '/server/identity/unlisted/unlisted.ts';
const isOfFirst = ({ version = 1, since = 1 }: Entry) => version === 1 && since === 1;

registerHooks({
  load(url, context, nextLoad) {
    if (url.endsWith(tellsUnlisted)) {
      return {
        format: 'module',
        source: 'export const identifyUnlisted = () => undefined;',
        shortCircuit: true,
      };
    }
    if (!lists.some((path) => url.endsWith(path))) return nextLoad(url, context);
    const list = JSON.parse(readFileSync(fileURLToPath(url), 'utf8')) as Entry[];
    return { format: 'json', source: JSON.stringify(list.filter(isOfFirst)), shortCircuit: true };
  },
});
