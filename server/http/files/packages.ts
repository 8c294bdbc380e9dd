import { ApiError } from '../../errors.ts';
import { readShipped } from '../../files/shipped.ts';
import type { Route } from '../route.ts';

/** What a site's own server, and what a program that asks the API, install with npm. */
export const packageRoutes: readonly Route[] = [
  packageRoute('connect', 'The package that sites report with'),
  packageRoute('client', 'The package that programs ask this API with'),
];

function packageRoute(name: 'connect' | 'client', summary: string): Route {
  return {
    name: `${name}.package`,
    method: 'GET',
    path: `/${name}.tgz`,
    access: 'anyone',
    summary,
    description: 'For `npm install`.',
    answers: {
      200: { says: 'The package', types: ['application/gzip'], headers: { ETag: 'Tells its contents.' } },
      304: { says: 'It is the one that `If-None-Match` names' },
    },
    handlerFor: () => (_req, res) => {
      // Few ask for it, so it takes no memory. Express makes an ETag of what it sends.
      const file = readShipped(`dist/${name}.tgz`);
      if (!file)
        throw new ApiError('not_found', 'The package has not been built: run "npm run build" first.');
      res.set('Cache-Control', 'no-cache').type('application/gzip').send(file);
    },
  };
}
