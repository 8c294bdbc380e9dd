import { type Route, route } from '../route.ts';

/** Crawlers that run a page's scripts may fetch what these load and send; the dashboard and shared reports are for people. */
const text = `User-agent: *
Allow: /hc.js
Allow: /hc-events.js
Allow: /hc-debug.js
Allow: /v1/hit
Allow: /v1/image/
Allow: /v1/pixel.gif
Disallow: /
`;

export const robotsRoute: Route = route({
  name: 'server.robots',
  method: 'GET',
  path: '/robots.txt',
  access: 'anyone',
  summary: 'Tell crawlers what they may fetch',
  answers: { 200: { says: 'The rules (RFC 9309)', types: ['text/plain'] } },
  handle: (_context, { res }) => {
    res.set('Cache-Control', 'public, max-age=86400').type('text/plain').send(text);
  },
});
