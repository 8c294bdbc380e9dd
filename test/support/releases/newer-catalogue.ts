/** Loaded before Headcount (`--import`), it gives it a catalogue that knows one more AI client, and a version for it. */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

registerHooks({
  load(url, context, nextLoad) {
    if (!url.endsWith('/server/identity/catalogue.json')) return nextLoad(url, context);
    // Read, not imported: what is imported here is loaded before the hook is there.
    const { versions, clients } = JSON.parse(readFileSync(fileURLToPath(url), 'utf8')) as {
      versions: object[];
      clients: object[];
    };
    const next = versions.length + 1;
    versions.push({ version: next, date: '2026-11-23', says: 'Zyxbot is an AI client.', digest: '' });
    clients.push({
      client: 'Zyxbot',
      operator: 'Zyx',
      purpose: 'search',
      tokens: ['Zyxbot'],
      since: next,
      reviewed: '2026-11-21',
    });
    return { format: 'json', source: JSON.stringify({ versions, clients }), shortCircuit: true };
  },
});
