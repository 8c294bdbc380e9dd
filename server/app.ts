import type { RequestListener } from 'node:http';
import type { Context } from './context.ts';
import { respondWithError } from './http/error-response.ts';
import { readScript } from './http/files/script.ts';
import { handleHit } from './ingest/hit-handler.ts';

/**
 * Everything that is asked of the server over HTTP.
 *
 * @throws ConfigError where the script for pages was not built
 */
export function createListener(context: Context): RequestListener {
  readScript();
  const answer = createLazyListener(context);
  return (req, res) => {
    // The one route that every page view takes does without Express: bench/README.md.
    if (req.method === 'POST' && isHitRoute(req.url)) {
      handleHit(context, req, res, (error) => respondWithError(context.log, error, req, res));
    } else {
      answer(req, res);
    }
  };
}

function isHitRoute(url: string | undefined): boolean {
  return url === '/v1/hit' || (url?.startsWith('/v1/hit?') ?? false);
}

/** Loads Express and all that routes need with the first request for one: a server that only counts does without. */
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
