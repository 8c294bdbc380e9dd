import { ApiError } from '../errors.ts';
import { type Route, route } from '../http/route.ts';
import { isInstance } from '../projects/instance.ts';

/** For `headcount check`, which asks the base address whom it leads to. */
export const instanceRoute: Route = route({
  name: 'server.instance',
  method: 'GET',
  path: '/v1/instance/:instance',
  access: 'anyone',
  summary: 'Tell whether this is the server that is meant',
  description: 'For `headcount check`. Who does not have the key of the server learns nothing.',
  answers: { 204: { says: 'It is' } },
  refusals: ['not_found'],
  handle: ({ instance }, { req, res }) => {
    res.set('Cache-Control', 'no-store');
    if (isInstance(instance, String(req.params.instance))) return;
    throw new ApiError('not_found', 'There is nothing at this address.');
  },
});
