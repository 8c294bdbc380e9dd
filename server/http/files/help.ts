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

/** Where the documentation explains a report, by the name of its panel (`data-report` of the dashboard). */
const explained: Readonly<Record<string, readonly string[]>> = {
  counting: ['series', 'hours', 'now', 'live'],
  'counting#views-and-visitors': ['visitors', 'views'],
  'counting#events': ['events', 'properties'],
  'counting#goals': ['goals', 'conversions'],
  'counting#funnels': ['funnels'],
  'counting#sections': ['sections', 'section-suggestions'],
  'counting#new-names': ['cardinality-limits'],
  'counting#sources': ['sources'],
  'counting#channels': ['channels'],
  'counting#campaigns': ['utm-campaigns', 'utm-sources', 'utm-mediums', 'refs'],
  'counting#places': ['countries', 'regions', 'cities'],
  'counting#languages-and-windows': ['languages', 'screens', 'devices', 'browsers', 'systems'],
  'counting#visits': ['entry-pages', 'exit-pages'],
  'counting#time-on-page': ['time-on-page'],
  'counting#several-ways-in': ['data-sources'],
  'counting#what-is-not-counted': ['dropped'],
  'identity#who-is-it': ['clients', 'ai-clients', 'paths', 'address-lists'],
  'identity#whose-network': ['ai-networks'],
  'ai-traffic': ['assistant-landings'],
  'ai-traffic#what-ai-could-not-read': ['ai-failures'],
  'ai-traffic#form': ['ai-formats'],
  'ai-traffic#what-crawlers-cost': ['ai-bytes'],
  'ai-traffic#surfaces': ['ai-files'],
  'ai-traffic#cut-off-pages': ['ai-cut-off'],
  'ai-traffic#signature-health': ['signatures'],
  'ai-traffic#quoted-passages': ['text-fragments'],
  'insights#reads-for-each-visit': ['operators'],
  'insights#silence': ['silent-clients'],
  'insights#changes': ['changes', 'annotations'],
  'insights#gaps': ['gaps'],
  'insights#worklist': ['worklist'],
  'site#what-robotstxt-asks': ['ai-disallowed', 'ai-rules'],
  'site#how-fresh-what-they-know-is': ['freshness'],
  'search-engines': ['search-engines', 'search-names'],
  'search-engines#what-is-kept': ['search-query', 'search-page', 'search-country', 'search-device'],
};

const addressOfHelp = (report: string): `/${string}` => {
  const [found = 'dashboard'] = Object.keys(explained).filter((at) => explained[at]?.includes(report));
  const [page, anchor] = found.split('#');
  return `/help/${page}.html${anchor === undefined ? '' : `#${anchor}`}`;
};

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
      path: '/help/report/:name',
      handlerFor: () => (req, res) =>
        res.redirect(302, addressOf(basePath, addressOfHelp(String(req.params.name)))),
    },
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
