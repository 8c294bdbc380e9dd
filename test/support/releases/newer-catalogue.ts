/** Loaded before Headcount (`--import`), it gives it a catalogue that knows one more AI client, and a version for it. */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

// Read, not imported: what is imported here is loaded before the hook is there.
const versions = new URL('../../../server/identity/rule-versions.json', import.meta.url);
const next = (JSON.parse(readFileSync(versions, 'utf8')) as object[]).length + 1;
const client = {
  client: 'Zyxbot',
  operator: 'Zyx',
  purpose: 'search',
  tokens: ['Zyxbot'],
  since: next,
  reviewed: '2026-11-21',
};
const version = { version: next, date: '2026-11-23', says: 'Zyxbot is an AI client.', digest: '' };
const added = new Map<string, object>([
  ['/server/identity/catalogue.json', client],
  ['/server/identity/rule-versions.json', version],
]);

registerHooks({
  load(url, context, nextLoad) {
    const [, one] = [...added].find(([path]) => url.endsWith(path)) ?? [];
    if (!one) return nextLoad(url, context);
    const list = JSON.parse(readFileSync(fileURLToPath(url), 'utf8')) as object[];
    return { format: 'json', source: JSON.stringify([...list, one]), shortCircuit: true };
  },
});
