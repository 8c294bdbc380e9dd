import { hash } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { ConfigError } from '../../config/config.ts';
import { readShipped } from '../../files/shipped.ts';
import { bestEncoding, type Encoding } from '../compression.ts';
import type { PlainRoute } from '../route.ts';

export const trackerRoutes: readonly PlainRoute[] = [
  scriptRoute('tracker', 'hc.js', 'The script that pages load'),
  scriptRoute('tracker.events', 'hc-events.js', 'The script for pages that send events'),
  scriptRoute('tracker.debug', 'hc-debug.js', 'The script that also logs to the console what is sent'),
];

function scriptRoute(name: string, file: string, summary: string): PlainRoute {
  return {
    name,
    method: 'GET',
    path: `/${file}`,
    access: 'anyone',
    summary,
    description: 'May be cached for an hour.',
    answers: {
      200: { says: 'The script', types: ['text/javascript'], headers: { ETag: 'Identifies the content.' } },
      304: { says: 'It is the one that `If-None-Match` names' },
    },
    handlerFor: () => trackerFile(file),
  };
}

const compress: Record<Encoding, (script: Buffer) => Buffer> = {
  br: (script) => brotliCompressSync(script),
  gzip: (script) => gzipSync(script),
  identity: (script) => script,
};

/**
 * The tracker, compressed once. Pages may keep it for an hour and then ask again, so that an update
 * reaches all sites within that time. Readable from any origin, as a page that pins it (SRI) needs that.
 */
function trackerFile(file: string): RequestListener {
  const script = readScript(file);
  const digest = hash('sha256', script).slice(0, 16);
  const encoded = new Map<Encoding, Buffer>();
  return (req, res) => {
    const encoding = bestEncoding(req);
    const etag = encoding === 'identity' ? `"${digest}"` : `"${digest}-${encoding}"`;
    res.setHeader('Access-Control-Allow-Origin', '*');
    res.setHeader('Cache-Control', 'public, max-age=3600');
    res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    res.setHeader('ETag', etag);
    res.setHeader('Vary', 'Accept-Encoding');
    if (isKept(req, etag)) {
      res.writeHead(304).end();
      return;
    }
    const content = encoded.get(encoding) ?? compress[encoding](script);
    encoded.set(encoding, content);
    res.setHeader('Content-Type', 'text/javascript; charset=utf-8');
    res.setHeader('Content-Length', content.length);
    if (encoding !== 'identity') res.setHeader('Content-Encoding', encoding);
    res.end(content);
  };
}

/** Whether the client has the version with this tag, and does not force a reload. */
function isKept({ headers }: IncomingMessage, etag: string): boolean {
  const { 'if-none-match': known = '', 'cache-control': wish = '' } = headers;
  if (/\bno-cache\b/.test(wish)) return false;
  return known.split(',').some((tag) => [etag, '*'].includes(tag.trim().replace(/^W\//, '')));
}

/** The built tracker, by the name of its file. @throws ConfigError where there is none */
export function readScript(file: string): Buffer {
  const script = readShipped(`dist/${file}`);
  if (script) return script;
  throw new ConfigError(
    'The tracker has not been built: start with "npm start", or run "npm run build" first.',
  );
}
