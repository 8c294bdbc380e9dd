import { operationOf, type Report } from '../../shared/reports/report.ts';
import { reports } from '../../shared/reports/reports.ts';
import { reportRoutes } from '../analytics/routes.ts';
import { type Route, route } from '../http/route.ts';
import { sendBadge } from './badge-route.ts';

const ownersOnly = new Set(
  Object.entries<Report>(reports)
    .filter(([, { isPrivate }]) => isPrivate)
    .map(([path]) => `share.${operationOf(path)}`),
);

/** The reports of a project to everybody who has the link. */
export const shareRoutes: readonly Route[] = [
  route({
    name: 'share.read',
    method: 'GET',
    path: '/v1/share/:token',
    access: 'page_link',
    summary: 'Tell what a shared page is of',
    answers: {
      200: {
        says: 'Name and time zone of the project',
        json: async () => (await import('../../shared/replies/share.ts')).shareReply,
      },
    },
    handle: (_context, { project: { settings } }) => ({ name: settings.name, timeZone: settings.timeZone }),
  }),
  ...reportRoutes('page_link', { name: 'share', path: '/v1/share/:token' }).filter(
    ({ name }) => !ownersOnly.has(name),
  ),
  route({
    name: 'share.badge',
    method: 'GET',
    path: '/badge/:token.svg',
    access: 'badge_link',
    summary: "Draw the last 30 days' visitors",
    answers: { 200: { says: 'An image', types: ['image/svg+xml'] } },
    handle: sendBadge,
  }),
];
