import type { ShareReply } from '../../shared/admin.ts';
import { reportRoutes } from '../analytics/routes.ts';
import { type Route, route } from '../http/route.ts';
import { sendBadge } from './badge-route.ts';

/** The reports of a project to everybody who has the link. */
export const shareRoutes: readonly Route[] = [
  route({
    name: 'share.read',
    method: 'GET',
    path: '/v1/share/:token',
    access: 'page_link',
    handle: (_context, { project, res }) => {
      const { name, timeZone } = project.settings;
      res.json({ name, timeZone } satisfies ShareReply);
    },
  }),
  ...reportRoutes('page_link', { name: 'share', path: '/v1/share/:token' })
    // These tell how the owner set the project up, and of attacks.
    .filter(({ name }) => name !== 'share.dropped' && name !== 'share.name-caps'),
  route({
    name: 'share.badge',
    method: 'GET',
    path: '/badge/:token.svg',
    access: 'badge_link',
    handle: sendBadge,
  }),
];
