import { type Route, route } from '../http/route.ts';
import { metricsPath } from './listener.ts';

/** For Prometheus, with a key that covers all projects, as the numbers are of all of them. */
export const metricsRoute: Route = route({
  name: 'server.metrics',
  method: 'GET',
  path: metricsPath,
  access: 'all_projects_key',
  summary: 'Read metrics of the server, for Prometheus',
  answers: { 200: { says: 'The text format of Prometheus', types: ['text/plain'] } },
  handle: async ({ metrics }, { res }) => {
    const { type, text } = await metrics.read();
    res.set('Content-Type', type).send(text);
  },
});
