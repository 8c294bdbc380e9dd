import { Router } from 'express';
import type { ShareReply } from '../../shared/admin.ts';
import { reportRoutes } from '../analytics/routes.ts';
import type { Context } from '../context.ts';
import { onlyMethods } from '../methods.ts';
import { handleBadge } from './badge-route.ts';
import { sharedProject } from './link.ts';

/** `GET /v1/share/{token}/…`: the reports of a project to everybody who has the link. */
export function shareRoutes(context: Context): Router {
  const router = Router();
  router
    .route('/:token')
    .get((req, res) => {
      const { name, timeZone } = sharedProject(context, req, 'page').settings;
      res.set('Cache-Control', 'no-store').json({ name, timeZone } satisfies ShareReply);
    })
    .all(onlyMethods('GET', 'HEAD'));
  // What was dropped tells how the owner set the project up.
  const findProject = (req: Parameters<typeof sharedProject>[1]) => sharedProject(context, req, 'page');
  router.use(reportRoutes(context, { base: '/:token', findProject, without: ['dropped'] }));
  return router;
}

/** `GET /badge/{token}.svg` */
export function badgeRoutes(context: Context): Router {
  const router = Router();
  router
    .route('/:token.svg')
    .get((req, res) => handleBadge(context, req, res))
    .all(onlyMethods('GET', 'HEAD'));
  return router;
}
