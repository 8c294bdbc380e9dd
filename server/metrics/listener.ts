import type { IncomingMessage, RequestListener } from 'node:http';
import { ApiError } from '../errors.ts';
import { respondWithError, sendError } from '../http/error-response.ts';
import type { Log } from '../log.ts';
import type { Metrics } from './metrics.ts';

export const metricsPath = '/metrics';

interface Parts {
  metrics: Metrics;
  log: Log;
}

/** Answers on an address of its own, where no key is asked for. */
export function createMetricsListener({ metrics, log }: Parts): RequestListener {
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
  if (url?.split('?')[0] !== metricsPath)
    return new ApiError('not_found', `There is only ${metricsPath} here.`);
  if (method === 'GET' || method === 'HEAD') return undefined;
  const headers = { Allow: 'GET, HEAD' };
  return new ApiError('method_not_allowed', `${method} is not possible here, only GET, HEAD.`, { headers });
}
