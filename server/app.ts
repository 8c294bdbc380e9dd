import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { adminRoutes } from './admin/routes.ts';
import { analyticsRoutes } from './analytics/routes.ts';
import type { Context } from './context.ts';
import { ApiError, sendError } from './errors.ts';
import { requireKey } from './http/authorize.ts';
import { jsonBody } from './http/json-body.ts';
import { onlyMethods } from './http/methods.ts';
import { dashboardRoutes } from './http/pages.ts';
import { trackerFile } from './http/tracker-file.ts';
import { handleBatch } from './ingest/batch-route.ts';
import { handleHit, handleHitPreflight } from './ingest/hit-route.ts';
import { handlePixel } from './ingest/pixel-route.ts';
import { jobRoutes } from './jobs/api/routes.ts';
import type { Log } from './log.ts';
import { badgeRoutes, shareRoutes } from './share/routes.ts';

/** 1,000 hits of some 4 KB each. */
const maxBatchBytes = 4 * 1024 * 1024;

/** Everything that is asked of the server over HTTP. */
export function createListener(context: Context): RequestListener {
  const app = createApp(context);
  return (req, res) => {
    // The one route that every page view takes does without Express: bench/README.md.
    if (req.method === 'POST' && isHitRoute(req.url)) {
      handleHit(context, req, res, (error) => {
        // A page may read what was wrong with its hit, and its console stays free of CORS errors.
        res.setHeader('Access-Control-Allow-Origin', '*');
        answerError(context.log, error, req, res);
      });
    } else {
      app(req, res);
    }
  };
}

function isHitRoute(url: string | undefined): boolean {
  return url === '/v1/hit' || (url?.startsWith('/v1/hit?') ?? false);
}

function createApp(context: Context): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.use(commonHeaders);

  app.route('/hc.js').get(trackerFile()).all(onlyMethods('GET', 'HEAD'));
  app
    .route('/v1/hit')
    .options((_req, res) => handleHitPreflight(res))
    .all(onlyMethods('POST', 'OPTIONS'));
  app
    .route('/v1/pixel.gif')
    .get((req, res) => handlePixel(context, req, res))
    .all(onlyMethods('GET', 'HEAD'));
  app
    .route('/v1/hits')
    .post(keyFirst(context), ...jsonBody(maxBatchBytes), (req, res) => handleBatch(context, req, res))
    .all(onlyMethods('POST'));
  app.use('/v1/analytics', analyticsRoutes(context));
  app.use('/v2/agent', jobRoutes(context));
  app.use('/v1/admin', adminRoutes(context));
  app.use('/v1/share', shareRoutes(context));
  app.use('/badge', badgeRoutes(context));
  app.use(dashboardRoutes(context.dashboardFolder));

  app.use(() => {
    throw new ApiError('not_found', 'There is nothing at this address.');
  });
  app.use(errorHandler(context.log));
  return app;
}

const commonHeaders: RequestHandler = (_req, res, next) => {
  res.set('X-Content-Type-Options', 'nosniff');
  next();
};

/** Before the body is read: megabytes are taken only from who may send them. */
function keyFirst(context: Context): RequestHandler {
  return (req, _res, next) => {
    requireKey(context, req);
    next();
  };
}

function errorHandler(log: Log): ErrorRequestHandler {
  return (error, req, res, _next) => answerError(log, error, req, res);
}

/** Known errors as they are; all others become a 500 that says nothing, and a line in the log with its id. */
function answerError(log: Log, error: unknown, req: IncomingMessage, res: ServerResponse): void {
  if (res.headersSent) {
    log.error(`${req.method} ${req.url?.split('?')[0]} broke off:`, error);
    res.destroy();
    return;
  }
  const known = error instanceof ApiError ? error : bodyError(error);
  if (known) {
    sendError(res, known);
    return;
  }
  const requestId = randomUUID();
  log.error(`${req.method} ${req.url?.split('?')[0]} failed (request ${requestId}):`, error);
  res.setHeader('X-Request-Id', requestId);
  sendError(res, new ApiError('internal', 'This is a defect of the server; its log has the cause.'));
}

/** What Express and its body parser refuse (http-errors), in our words. */
function bodyError(error: unknown): ApiError | undefined {
  const { status, type, limit } = error as { status?: number; type?: string; limit?: number };
  if (status === 413) return new ApiError('too_large', `The body must have at most ${limit} bytes.`);
  if (status === 415) return new ApiError('unsupported_type', 'The body must be JSON in UTF-8.');
  if (status !== 400) return undefined;
  if (type === 'entity.parse.failed') return new ApiError('invalid', 'The body must be JSON.');
  if (error instanceof URIError)
    return new ApiError('invalid', 'The address has a broken percent escape in it.');
  return new ApiError('invalid', 'The request could not be read.');
}
