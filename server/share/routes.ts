import { reportedTallies, tallies } from '../../shared/reports/tallies.ts';
import { conversionReports } from '../analytics/goal-reports.ts';
import { reportRoutes } from '../analytics/routes.ts';
import { type Route, route } from '../http/route.ts';
import { sendBadge } from './badge-route.ts';

/** These tell how the owner set the project up, of attacks, of what does not work, and of business. */
const ownersOnly = new Set(
  [
    'events',
    'events.properties',
    'goals',
    'funnels',
    ...conversionReports.map(({ path }) => path.replace('/:goal/', '.')),
    'dropped',
    'name-caps',
    ...reportedTallies.map((name) => tallies[name].report),
  ].map((report) => `share.${report}`),
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
