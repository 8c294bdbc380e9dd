import type { RequestListener } from 'node:http';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { Config } from './config/config.ts';
import { addressOf, basePathOf } from './config/own-address.ts';
import type { Context } from './context.ts';
import { ApiError } from './errors.ts';
import { requireSession } from './http/authorize.ts';
import { withCommonHeaders } from './http/common-headers.ts';
import { respondWithError } from './http/error-response.ts';
import { pageRoutes } from './http/files/pages.ts';
import type { Method, Mounted } from './http/route.ts';
import { setPageHeaders } from './http/security-headers.ts';
import type { Log } from './log.ts';
import { operations } from './operations.ts';

/** Answers all requests but hits. */
export function createExpressApp(context: Context): RequestListener {
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.use((req, res, next) => withCommonHeaders(context, req, res, next));
  mount(app, [...operations, ...pageRoutes(context.dashboardFolder, basePathOf(context.config))], context);
  // Without a session the dashboard's part of the API does not even say what is missing.
  app.use('/v1/admin', (req, res, next) => {
    res.set('Cache-Control', 'no-store');
    requireSession(context, req);
    next();
  });
  app.use(notFound(context.config));
  app.use(errorHandler(context.log));
  return app;
}

function errorHandler(log: Log): ErrorRequestHandler {
  return (error, req, res, _next) => respondWithError(log, error, req, res);
}

/** Serves the routes; another method on one of their paths is a 405. */
function mount(app: Express, routes: readonly Mounted[], context: Context): void {
  for (const [path, methods] of Map.groupBy(routes, ({ path }) => path)) {
    const mounted = app.route(path);
    for (const one of methods) mounted[expressMethods[one.method]](one.handlerFor(context));
    mounted.all(refuseOthers(methods.map(({ method }) => method)));
  }
}

const expressMethods = {
  GET: 'get',
  POST: 'post',
  PATCH: 'patch',
  DELETE: 'delete',
  OPTIONS: 'options',
} as const satisfies Record<Method, string>;

function refuseOthers(methods: readonly Method[]): RequestHandler {
  const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
  return (req) => {
    throw new ApiError('method_not_allowed', `${req.method} is not possible here, only ${allow}.`, {
      headers: { Allow: allow },
    });
  };
}

/** At any other address: a page with the way to the start for a browser, and an error for programs. */
function notFound(config: Pick<Config, 'baseUrl'>): RequestHandler {
  const start = addressOf(basePathOf(config), '/');
  return (req, res) => {
    if (!/^(GET|HEAD)$/.test(req.method) || req.accepts(['json', 'html']) !== 'html') {
      throw new ApiError('not_found', 'There is nothing at this address.');
    }
    setPageHeaders(res);
    res
      .status(404)
      .set('Cache-Control', 'no-store')
      .type('html')
      .send(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Page not found – Headcount</title>
<link rel="icon" href="data:,">
<h1>Page not found</h1>
<p>There is nothing at this address. <a href="${start}">Go to the dashboard</a></p>
</html>
`);
  };
}
