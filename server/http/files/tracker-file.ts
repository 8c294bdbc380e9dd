import { hash } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { RequestHandler } from 'express';
import { bestEncoding } from '../compression.ts';
import type { Route } from '../route.ts';
import { readScript } from './script.ts';

export const trackerRoute: Route = {
  name: 'tracker',
  method: 'GET',
  path: '/hc.js',
  access: 'anyone',
  summary: 'The script that pages load',
  description: 'To be kept for an hour.',
  answers: {
    200: { says: 'The script', types: ['text/javascript'], headers: { ETag: 'Tells its contents.' } },
    304: { says: 'It is the one that `If-None-Match` names' },
  },
  handlerFor: () => trackerFile(),
};

/**
 * The tracker, compressed once. Pages may keep it for an hour and then ask again, so that an update
 * reaches all sites within that time. Readable from any origin, as a page that pins it (SRI) needs that.
 */
function trackerFile(): RequestHandler {
  const script = readScript();
  const encoded = { br: brotliCompressSync(script), gzip: gzipSync(script), identity: script };
  const etag = `"${hash('sha256', script).slice(0, 16)}"`;
  return (req, res) => {
    const encoding = bestEncoding(req);
    res.set({
      'Access-Control-Allow-Origin': '*',
      'Cache-Control': 'public, max-age=3600',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      ETag: encoding !== 'identity' ? etag.replace(/"$/, `-${encoding}"`) : etag,
      Vary: 'Accept-Encoding',
    });
    if (encoding !== 'identity') res.set('Content-Encoding', encoding);
    // Express answers 304 where the ETag is the one that the browser has.
    res.type('text/javascript').send(encoded[encoding]);
  };
}
