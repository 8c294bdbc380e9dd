import type { Express, RequestHandler } from 'express';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import type { Method, Mounted } from './route.ts';

/** Serves the routes; another method on one of their paths is a 405. */
export function mount(app: Express, routes: readonly Mounted[], context: Context): void {
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
