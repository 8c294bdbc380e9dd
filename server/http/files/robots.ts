import { addressOf, basePathOf } from '../../config/own-address.ts';
import { type Route, route } from '../route.ts';

/** Crawlers that run a page's scripts may fetch what these load and send; the dashboard and shared reports are for people. */
const allowed = [
  '/hc.js',
  '/hc-events.js',
  '/hc-debug.js',
  '/v1/hit',
  '/v1/image/',
  '/v1/pixel.gif',
] as const;

export const robotsRoute: Route = route({
  name: 'server.robots',
  method: 'GET',
  path: '/robots.txt',
  access: 'anyone',
  summary: 'Tell crawlers what they may fetch',
  answers: { 200: { says: 'The rules (RFC 9309)', types: ['text/plain'] } },
  handle: ({ config }, { res }) => {
    const basePath = basePathOf(config);
    const rules = allowed.map((path) => `Allow: ${addressOf(basePath, path)}\n`).join('');
    const text = `User-agent: *\n${rules}Disallow: ${addressOf(basePath, '/')}\n`;
    res.set('Cache-Control', 'public, max-age=86400').type('text/plain').send(text);
  },
});
