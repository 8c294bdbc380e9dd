import type { IncomingMessage, RequestListener } from 'node:http';
import { basePathOf } from './config/own-address.ts';
import type { Context } from './context.ts';
import { healthRoutes } from './health/routes.ts';
import { withCommonHeaders } from './http/common-headers.ts';
import { respondWithError } from './http/error-response.ts';
import { trackerRoutes } from './http/files/tracker-file.ts';
import { handleHit } from './ingest/routes/hit-handler.ts';

/** What every page and every monitor ask for: a server that only counts does without Express. */
const plainRoutes = [...trackerRoutes, ...healthRoutes];

/**
 * Everything that is asked of the server over HTTP.
 *
 * @throws ConfigError where the script for pages was not built
 */
export function createListener(context: Context): RequestListener {
  const plain = new Map(plainRoutes.map(({ path, handlerFor }) => [path, handlerFor(context)]));
  const answer = createLazyListener(context);
  const basePath = basePathOf(context.config);
  return (req, res) => {
    if (basePath !== '') req.url = withoutBase(req.url, basePath);
    // The one route that every page view takes does without all else: bench/README.md.
    if (req.method === 'POST' && (req.url === '/v1/hit' || req.url?.startsWith('/v1/hit?'))) {
      handleHit(context, req, res, (error) => respondWithError(context.log, error, req, res));
      return;
    }
    const listener = isRead(req) ? plain.get(pathOf(req)) : undefined;
    if (listener) withCommonHeaders(context, req, res, () => listener(req, res));
    else answer(req, res);
  };
}

/** Some proxies take the path away that Headcount is below, some hand it on, and some leave two slashes in its place. */
function withoutBase(url = '/', basePath: string): string {
  const isBelow = url.startsWith(basePath) && /^(?:[/?]|$)/.test(url.slice(basePath.length));
  return `/${(isBelow ? url.slice(basePath.length) : url).replace(/^\/+/, '')}`;
}

const isRead = ({ method }: IncomingMessage) => method === 'GET' || method === 'HEAD';

const pathOf = ({ url = '' }: IncomingMessage) => url.split('?', 1)[0] as string;

/** Loads Express and all that routes need with the first request for one. */
function createLazyListener(context: Context): RequestListener {
  let app: RequestListener | undefined;
  let loading: Promise<RequestListener> | undefined;
  const load = async () => {
    const { createExpressApp } = await import('./express-app.ts');
    app = createExpressApp(context);
    return app;
  };
  return (req, res) => {
    if (app) return app(req, res);
    loading ??= load();
    loading.then(
      (loaded) => loaded(req, res),
      (error: unknown) => respondWithError(context.log, error, req, res),
    );
  };
}
