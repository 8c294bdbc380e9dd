import { byName } from './nginx-rules.ts';
import { agentRules, type RuledClient } from './ruled-client.ts';

export function workerRules(clients: readonly RuledClient[]) {
  const rules = agentRules(clients).map(({ pattern, action, client = '' }) =>
    JSON.stringify([pattern, action, client]),
  );
  const isSlow = clients.some(({ action }) => action === 'slow');
  return {
    text: `${head}
const rules = [
${rules.map((rule) => `  ${rule},`).join('\n')}
].map(([pattern, action, client]) => ({ pattern: new RegExp(pattern, 'i'), action, client }));
${body}`,
    place: 'Make it a Worker with a route for your whole site.',
    notes: [
      byName,
      ...(isSlow
        ? [
            'Cloudflare runs a Worker in many places at once: slow clients are slowed down in each of them by itself.',
          ]
        : []),
    ],
  };
}

const head =
  '// The first pattern that a user agent matches holds; without one the request goes on to the site.';

const body = `
const slowMs = 6000;
const lastSeen = new Map();

function isTooSoon(client) {
  const now = Date.now();
  if (now - (lastSeen.get(client) ?? 0) < slowMs) return true;
  lastSeen.set(client, now);
  return false;
}

export default {
  async fetch(request) {
    const userAgent = request.headers.get('user-agent') ?? '';
    const rule = rules.find(({ pattern }) => pattern.test(userAgent));
    // What is asked of clients stays readable for them.
    if (rule && new URL(request.url).pathname !== '/robots.txt') {
      if (rule.action === 'refuse') return new Response('Forbidden', { status: 403 });
      if (rule.action === 'pay') return new Response('Payment required', { status: 402 });
      if (rule.action === 'slow' && isTooSoon(rule.client)) {
        return new Response('Too many requests', { status: 429, headers: { 'Retry-After': String(slowMs / 1000) } });
      }
    }
    return fetch(request);
  },
};
`;
