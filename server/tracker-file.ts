import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RequestHandler } from 'express';
import { ConfigError } from './config.ts';

const builtFile = join(import.meta.dirname, '..', 'dist', 'hc.js');

/**
 * `GET /hc.js`: the tracker. Pages may keep it for an hour and then ask again, so that an update reaches all
 * sites within that time. Readable from any origin, as a page that pins it (SRI) needs that.
 */
export function trackerFile(): RequestHandler {
  const script = readScript();
  const etag = `"${hash('sha256', script).slice(0, 16)}"`;
  return (_req, res) => {
    res.set({
      'Access-Control-Allow-Origin': '*',
      'Cache-Control': 'public, max-age=3600',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      ETag: etag,
    });
    // Express answers 304 where the ETag is the one that the browser has.
    res.type('text/javascript').send(script);
  };
}

function readScript(): string {
  try {
    return readFileSync(builtFile, 'utf8');
  } catch {
    throw new ConfigError(
      'The tracker has not been built: start with "npm start", or run "npm run build" first.',
    );
  }
}
