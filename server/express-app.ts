import type { RequestListener } from 'node:http';
import express, { type ErrorRequestHandler } from 'express';
import { basePathOf } from './config/own-address.ts';
import type { Context } from './context.ts';
import { requireSession } from './http/authorize.ts';
import { withCommonHeaders } from './http/common-headers.ts';
import { respondWithError } from './http/error-response.ts';
import { notFound } from './http/files/not-found.ts';
import { pageRoutes } from './http/files/pages.ts';
import { mount } from './http/mount.ts';
import type { Log } from './log.ts';
import { operations } from './operations.ts';

/** Answers all requests but hits. */
export function createExpressApp(context: Context): RequestListener {
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.use((req, res, next) => withCommonHeaders(context, req, res, next));
  mount(app, [...operations, ...pageRoutes(context.dashboardFolder, basePathOf(context.config))], context);
  // Without a session the dashboard's part of the API does not even tell what it lacks.
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
