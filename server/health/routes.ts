import { alivePath, sendAlive } from '../http/alive.ts';
import { respondWithError } from '../http/error-response.ts';
import type { PlainRoute } from '../http/route.ts';

const replies = () => import('../../shared/replies/health.ts');

/** For whoever watches over the server. */
export const healthRoutes: readonly PlainRoute[] = [
  {
    name: 'server.alive',
    method: 'GET',
    path: alivePath,
    access: 'anyone',
    summary: 'Tell that the process lives',
    description: 'Also while it starts and stops.',
    answers: { 200: { says: 'It lives', json: async () => (await replies()).aliveReply } },
    handlerFor: () => (_req, res) => sendAlive(res),
  },
  {
    name: 'server.ready',
    method: 'GET',
    path: '/readyz',
    access: 'anyone',
    summary: 'Tell whether the server can do its work',
    description:
      'The database can be written, the buffer of views has room, and the runner of jobs lives. 503 names each part that is not ready.',
    answers: { 200: { says: 'It can', json: async () => (await replies()).readyReply } },
    refusals: ['overloaded'],
    handlerFor:
      ({ readiness, log }) =>
      (req, res) => {
        res.setHeader('Cache-Control', 'no-store');
        readiness.check().then(
          (reply) =>
            res.setHeader('Content-Type', 'application/json; charset=utf-8').end(JSON.stringify(reply)),
          (error: unknown) => respondWithError(log, error, req, res),
        );
      },
  },
];
