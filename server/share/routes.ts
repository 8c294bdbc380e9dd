import { Router } from 'express';
import type { ShareReply } from '../../shared/admin.ts';
import { reportRoutes } from '../analytics/routes.ts';
import type { Context } from '../context.ts';
import { onlyMethods } from '../http/methods.ts';
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
  router.use(
    reportRoutes(context, {
      base: '/:token',
      findProject: (req) => sharedProject(context, req, 'page'),
      // Whoever has the link shall not hold up the owner.
      maxReports: 20,
      // It tells how the owner set the project up.
      without: ['dropped'],
    }),
  );
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
