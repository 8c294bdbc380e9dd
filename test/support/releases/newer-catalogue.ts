/** Loaded before Headcount (`--import`), it gives it a catalogue that knows one more AI client, and a version for it. */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const client = {
  client: 'Zyxbot',
  operator: 'Zyx',
  purpose: 'search',
  tokens: ['Zyxbot'],
  since: 2,
  reviewed: '2026-11-21',
};
const version = { version: 2, date: '2026-11-23', says: 'Zyxbot is an AI client.', digest: '' };
const added = new Map<string, object>([
  ['/server/identity/catalogue.json', client],
  ['/server/identity/rule-versions.json', version],
]);

registerHooks({
  load(url, context, next) {
    const [, one] = [...added].find(([path]) => url.endsWith(path)) ?? [];
    if (!one) return next(url, context);
    const list = JSON.parse(readFileSync(fileURLToPath(url), 'utf8')) as object[];
    return { format: 'json', source: JSON.stringify([...list, one]), shortCircuit: true };
  },
});
