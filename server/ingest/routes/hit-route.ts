import type { ServerResponse } from 'node:http';
import { trackerHit } from '../../../shared/hit.ts';
import { type Route, route } from '../../http/route.ts';
import { droppedHeader, droppedText, handleHit, maxBodyBytes } from './hit-handler.ts';

/** One view from the tracker, and the question of browsers whether a page may send one. */
export const hitRoutes: readonly Route[] = [
  {
    name: 'hits.send',
    method: 'POST',
    path: '/v1/hit',
    access: 'anyone',
    summary: 'Send a view from a page',
    description:
      'What the script does, from any origin. 202 means counted for good, or left out on purpose, which `X-Headcount-Dropped` tells.',
    body: { schema: trackerHit, maxBytes: maxBodyBytes, subject: 'The hit', anyType: true },
    answers: { 202: { says: 'Counted, or left out on purpose', headers: { [droppedHeader]: droppedText } } },
    refusals: ['overloaded'],
    handlerFor: (context) => (req, res, next) => handleHit(context, req, res, next),
  },
  route({
    name: 'hits.preflight',
    method: 'OPTIONS',
    path: '/v1/hit',
    access: 'anyone',
    summary: 'Ask whether a page may send a view as JSON',
    answers: { 204: { says: 'It may' } },
    handle: (_context, { res }) => sendPreflight(res),
  }),
];

/** The tracker needs no preflight, but a page's own code that sends JSON does. */
function sendPreflight(res: ServerResponse): void {
  res.writeHead(204, {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': 'POST',
    'Access-Control-Allow-Headers': 'Content-Type',
    'Access-Control-Max-Age': '86400',
  });
  res.end();
}
