import type { IncomingMessage, RequestListener } from 'node:http';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import { respondWithError, sendError } from '../http/error-response.ts';
import { type Route, route } from '../http/route.ts';

const path = '/metrics';

/** For Prometheus, with a key that covers all projects, as the numbers are of all of them. */
export const metricsRoute: Route = route({
  name: 'server.metrics',
  method: 'GET',
  path,
  access: 'all_projects_key',
  summary: 'Read metrics of the server, for Prometheus',
  answers: { 200: { says: 'The text format of Prometheus', types: ['text/plain'] } },
  handle: async ({ metrics }, { res }) => {
    const { type, text } = await metrics.read();
    res.set('Content-Type', type).send(text);
  },
});

/** The same without a key, for an address of its own. */
export function createMetricsListener({ metrics, log }: Pick<Context, 'metrics' | 'log'>): RequestListener {
  return (req, res) => {
    const refusal = refusalOf(req);
    if (refusal) {
      sendError(res, refusal);
      return;
    }
    metrics.read().then(
      ({ type, text }) => res.setHeader('Content-Type', type).end(text),
      (error: unknown) => respondWithError(log, error, req, res),
    );
  };
}

function refusalOf({ method, url }: IncomingMessage): ApiError | undefined {
  if (url?.split('?')[0] !== path) return new ApiError('not_found', `There is only ${path} here.`);
  if (method === 'GET' || method === 'HEAD') return undefined;
  const headers = { Allow: 'GET, HEAD' };
  return new ApiError('method_not_allowed', `${method} is not possible here, only GET, HEAD.`, { headers });
}
