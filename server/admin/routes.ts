import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import { requireSession } from '../http/authorize.ts';
import { jsonBody } from '../http/json-body.ts';
import { onlyMethods } from '../http/methods.ts';
import { addKey, listKeys, revokeKey } from './key-routes.ts';
import { addLink, listLinks, removeLink } from './link-routes.ts';
import {
  addProject,
  changeProject,
  listProjects,
  readInstall,
  readProject,
  removeProject,
} from './project-routes.ts';
import { signInRoutes } from './sign-in-routes.ts';

const maxBodyBytes = 256 * 1024;

type Handler = (context: Context, req: Request, res: Response) => void | Promise<void>;
type Method = 'get' | 'post' | 'patch' | 'delete';

const routes: Record<string, Partial<Record<Method, Handler>>> = {
  '/projects': { get: listProjects, post: addProject },
  '/projects/:projectId': { get: readProject, patch: changeProject, delete: removeProject },
  '/projects/:projectId/install': { get: readInstall },
  '/projects/:projectId/keys': { get: listKeys, post: addKey },
  '/projects/:projectId/keys/:keyId': { delete: revokeKey },
  '/projects/:projectId/links': { get: listLinks, post: addLink },
  '/projects/:projectId/links/:linkId': { delete: removeLink },
};

/** Only these bring a body; what is deleted otherwise is named by its path. */
const withBody = new Set<Handler>([addProject, changeProject, removeProject, addKey, addLink]);

/** `/v1/admin/…`: what the dashboard alone asks. Nothing of it is for keys, and nothing without a session but signing in. */
export function adminRoutes(context: Context): Router {
  const router = Router();
  router.use(neverStored);
  router.use(signInRoutes(context));
  router.use((req, _res, next) => {
    requireSession(context, req);
    next();
  });
  for (const [path, handlers] of Object.entries(routes)) {
    const route = router.route(path);
    const methods = Object.entries(handlers) as [Method, Handler][];
    for (const [method, handle] of methods) {
      const body = withBody.has(handle) ? jsonBody(maxBodyBytes) : [];
      route[method](...body, (req: Request, res: Response) => handle(context, req, res));
    }
    const names = methods.map(([method]) => method.toUpperCase());
    route.all(onlyMethods(...names.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]))));
  }
  router.use(() => {
    throw new ApiError('not_found', 'There is nothing at this address.');
  });
  return router;
}

const neverStored: RequestHandler = (_req, res, next) => {
  res.set('Cache-Control', 'no-store');
  next();
};
