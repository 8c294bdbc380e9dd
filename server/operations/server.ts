import { type AddressListsReply, addressListsReply } from '../../shared/accounts/admin.ts';
import { addressOf, basePathOf } from '../config/own-address.ts';
import { ApiError } from '../errors.ts';
import { readShipped } from '../files/shipped.ts';
import { type Route, route } from '../http/route.ts';
import { listAges } from '../identity/proof/list-ages.ts';
import { metricsPath } from '../metrics/listener.ts';
import { isInstance } from '../projects/instance.ts';

/** The npm packages for servers of sites and for clients of the API. */
export const packageRoutes: readonly Route[] = [
  packageRoute('connect', 'The npm package for servers of sites'),
  packageRoute('client', 'The npm package for clients of this API'),
];

function packageRoute(name: 'connect' | 'client', summary: string): Route {
  return {
    name: `${name}.package`,
    method: 'GET',
    path: `/${name}.tgz`,
    access: 'anyone',
    summary,
    description: 'For `npm install`.',
    answers: {
      200: { says: 'The package', types: ['application/gzip'], headers: { ETag: 'Identifies the content.' } },
      304: { says: 'It is the one that `If-None-Match` names' },
    },
    handlerFor: () => (_req, res) => {
      // Few ask for it, so it takes no memory. Express makes an ETag of what it sends.
      const file = readShipped(`dist/${name}.tgz`);
      if (!file)
        throw new ApiError('not_found', 'The package has not been built: run "npm run build" first.');
      res.set('Cache-Control', 'no-cache').type('application/gzip').send(file);
    },
  };
}

export const addressLists: Route = route({
  name: 'admin.address_lists',
  method: 'GET',
  path: '/v1/admin/address-lists',
  access: 'session',
  summary: 'Age of the lists of addresses of AI clients',
  answers: {
    200: {
      says: 'The lists',
      json: addressListsReply,
    },
  },
  handle: ({ proofs, now }): AddressListsReply => ({ lists: listAges(proofs.feedTimes(), now()) }),
});

/** For `headcount check`, which finds out whether the base URL leads to this server. */
export const instanceRoute: Route = route({
  name: 'server.instance',
  method: 'GET',
  path: '/v1/instance/:instance',
  access: 'anyone',
  summary: 'Whether this is the server with this instance id',
  description: 'For `headcount check`. Callers without the key of the server learn nothing.',
  answers: { 204: { says: 'It is' } },
  refusals: ['not_found'],
  handle: ({ instance }, { req, res }) => {
    res.set('Cache-Control', 'no-store');
    if (isInstance(instance, String(req.params.instance))) return;
    throw new ApiError('not_found', 'There is nothing at this address.');
  },
});

/** For Prometheus, with a key that covers all projects, as the numbers are of all of them. */
export const metricsRoute: Route = route({
  name: 'server.metrics',
  method: 'GET',
  path: metricsPath,
  access: 'all_projects_key',
  summary: 'Read metrics of the server, for Prometheus',
  answers: { 200: { says: 'The text format of Prometheus', types: ['text/plain'] } },
  handle: async ({ metrics }, { res }) => {
    const { type, text } = await metrics.read();
    res.set('Content-Type', type).send(text);
  },
});

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
  summary: 'Rules for crawlers',
  answers: { 200: { says: 'The rules (RFC 9309)', types: ['text/plain'] } },
  handle: ({ config }, { res }) => {
    const basePath = basePathOf(config);
    const rules = allowed.map((path) => `Allow: ${addressOf(basePath, path)}\n`).join('');
    const text = `User-agent: *\n${rules}Disallow: ${addressOf(basePath, '/')}\n`;
    res.set('Cache-Control', 'public, max-age=86400').type('text/plain').send(text);
  },
});
