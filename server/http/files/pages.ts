import { extname, join } from 'node:path';
import type { Request, RequestHandler } from 'express';
import type { Context } from '../../context.ts';
import { ApiError } from '../../errors.ts';
import { listShipped, readShipped } from '../../files/shipped.ts';
import { CompressedFile } from '../compression.ts';
import type { Mounted } from '../route.ts';
import { setPageHeaders } from '../security-headers.ts';
import { helpRoutes } from './help.ts';

/** Addresses that the page itself distinguishes. */
const pages = ['/', '/sign-in', '/sign-on', '/setup', '/invitation', '/installation', '/p/*rest'];
/** For anyone with the link, and for sites that may show it in a frame. */
const sharedPages = ['/share/:token', '/share/:token/*rest'];

/**
 * The web page that people look at: one HTML file at many addresses, and what it loads.
 *
 * @param basePath what the page puts in front of all addresses on this server
 */
export function pageRoutes(folder: string, basePath: string): Mounted[] {
  const page = readPage(join(folder, 'index.html'), basePath);
  const assets = readAssets(join(folder, 'assets'));
  const at = (path: string, framedBy?: FramedBy): Mounted => ({
    method: 'GET',
    path,
    handlerFor: (context) => (page ? sendPage(page, (req) => framedBy?.(context, req)) : refuse),
  });
  return [
    ...pages.map((path) => at(path)),
    ...sharedPages.map((path) => at(path, framesOfProject)),
    { method: 'GET', path: '/assets/:name', handlerFor: () => sendAsset(assets) },
    ...helpRoutes(basePath),
  ];
}

function sendAsset(assets: ReadonlyMap<string, CompressedFile>): RequestHandler {
  return async (req, res) => {
    const asset = assets.get(String(req.params.name));
    if (!asset) throw new ApiError('not_found', 'There is nothing at this address.');
    // Another content has another name.
    res.set('Cache-Control', 'public, max-age=31536000, immutable');
    res.set('Cross-Origin-Resource-Policy', 'same-origin');
    await asset.send(req, res);
  };
}

/** The origins that may show a page in a frame. */
type FramedBy = (context: Context, req: Request) => readonly string[] | undefined;

const framesOfProject: FramedBy = ({ registry }, req) => {
  const link = registry.link(String(req.params.token));
  return link?.kind === 'page' ? registry.project(link.projectId)?.settings.embedOrigins : undefined;
};

function sendPage(
  page: CompressedFile,
  framedBy: (req: Request) => readonly string[] | undefined,
): RequestHandler {
  return async (req, res) => {
    setPageHeaders(res, framedBy(req));
    res.set('Cache-Control', 'no-cache');
    await page.send(req, res);
  };
}

const refuse: RequestHandler = () => {
  throw new ApiError(
    'not_found',
    'The dashboard has not been built: start with "npm start", or run "npm run build" first.',
  );
};

function readAssets(folder: string): Map<string, CompressedFile> {
  const assets = new Map<string, CompressedFile>();
  for (const name of listShipped(folder)) {
    const file = readFile(join(folder, name));
    if (file) assets.set(name, file);
  }
  return assets;
}

/** The build leaves `%base%` where the path belongs. */
function readPage(path: string, basePath: string): CompressedFile | undefined {
  const content = readShipped(path);
  return content && new CompressedFile('html', Buffer.from(String(content).replaceAll('%base%', basePath)));
}

function readFile(path: string): CompressedFile | undefined {
  const content = readShipped(path);
  return content && new CompressedFile(extname(path), content);
}
