import { alivePath } from '../http/alive.ts';
import { type Route, route } from '../http/route.ts';

const replies = () => import('../../shared/replies/health.ts');

/** For whoever watches over the server. */
export const healthRoutes: readonly Route[] = [
  route({
    name: 'server.alive',
    method: 'GET',
    path: alivePath,
    access: 'anyone',
    summary: 'Tell that the process lives',
    description: 'Also while it starts and stops.',
    answers: { 200: { says: 'It lives', json: async () => (await replies()).aliveReply } },
    handle: (_context, { res }) => {
      res.set('Cache-Control', 'no-store');
      return { status: 'alive' as const };
    },
  }),
  route({
    name: 'server.ready',
    method: 'GET',
    path: '/readyz',
    access: 'anyone',
    summary: 'Tell whether the server can do its work',
    description:
      'The database can be written, the buffer of views has room, and the runner of jobs lives. 503 names each part that is not ready.',
    answers: { 200: { says: 'It can', json: async () => (await replies()).readyReply } },
    refusals: ['overloaded'],
    handle: ({ readiness }, { res }) => {
      res.set('Cache-Control', 'no-store');
      return readiness.check();
    },
  }),
];
