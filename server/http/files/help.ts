import { extname, join } from 'node:path';
import type { Request, RequestHandler, Response } from 'express';
import { addressOf } from '../../config/own-address.ts';
import { ApiError } from '../../errors.ts';
import { listShipped, readShipped } from '../../files/shipped.ts';
import { CompressedFile } from '../compression.ts';
import type { Mounted } from '../route.ts';
import { setPageHeaders } from '../security-headers.ts';

/** Where the build puts the documentation. */
const folder = 'dist/docs';

/** The documentation of this version. */
export function helpRoutes(basePath: string): Mounted[] {
  const first: RequestHandler = (req, res) =>
    // Links in the pages are relative.
    req.path.endsWith('/')
      ? sendHelp('index.html', req, res)
      : res.redirect(301, addressOf(basePath, '/help/'));
  return [
    { method: 'GET', path: '/help', handlerFor: () => first },
    {
      method: 'GET',
      path: '/help/:name',
      handlerFor: () => (req, res) => sendHelp(String(req.params.name), req, res),
    },
  ];
}

/** The files are read when asked for, so they take no memory until then. */
async function sendHelp(name: string, req: Request, res: Response): Promise<void> {
  const names = listShipped(folder);
  const content = names.includes(name) ? readShipped(join(folder, name)) : undefined;
  if (!content) {
    throw new ApiError(
      'not_found',
      names.length > 0
        ? `The documentation has no page "${name}".`
        : 'The documentation has not been built: start with "npm start", or run "npm run docs" first.',
    );
  }
  setPageHeaders(res);
  res.set('Cache-Control', 'no-cache');
  await new CompressedFile(extname(name) || 'txt', content).send(req, res);
}
