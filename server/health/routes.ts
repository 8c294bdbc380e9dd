import { z } from 'zod';
import { reply } from '../../shared/reply.ts';
import { alivePath, sendAlive } from '../http/alive.ts';
import { respondWithError } from '../http/error-response.ts';
import type { PlainRoute } from '../http/route.ts';
import { readyReply } from './readiness.ts';

/** `GET /healthz` */
const aliveReply = reply('Alive', () => ({ status: z.literal('alive') }));

/** For monitors. */
export const healthRoutes: readonly PlainRoute[] = [
  {
    name: 'server.alive',
    method: 'GET',
    path: alivePath,
    access: 'anyone',
    summary: 'Report that the process is running',
    description: 'Answers during start and shutdown too.',
    answers: { 200: { says: 'The process is running', json: aliveReply } },
    handlerFor: () => (_req, res) => sendAlive(res),
  },
  {
    name: 'server.ready',
    method: 'GET',
    path: '/readyz',
    access: 'anyone',
    summary: 'Whether the server is ready',
    description:
      'The database is writable, the buffer of views has room, and the job runner is running. 503 names each part that is not ready.',
    answers: { 200: { says: 'The server is ready', json: readyReply } },
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
