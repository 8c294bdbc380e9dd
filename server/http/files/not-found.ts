import type { RequestHandler } from 'express';
import type { Config } from '../../config/config.ts';
import { addressOf, basePathOf } from '../../config/own-address.ts';
import { ApiError } from '../../errors.ts';
import { setPageHeaders } from '../security-headers.ts';

/** At any other address: a page with the way to the start for a browser, and an error for programs. */
export function notFound(config: Pick<Config, 'baseUrl'>): RequestHandler {
  const start = addressOf(basePathOf(config), '/');
  return (req, res) => {
    if (!/^(GET|HEAD)$/.test(req.method) || req.accepts(['json', 'html']) !== 'html') {
      throw new ApiError('not_found', 'There is nothing at this address.');
    }
    setPageHeaders(res);
    res
      .status(404)
      .set('Cache-Control', 'no-store')
      .type('html')
      .send(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Page not found – Headcount</title>
<link rel="icon" href="data:,">
<h1>Page not found</h1>
<p>There is nothing at this address. <a href="${start}">Go to the dashboard</a></p>
</html>
`);
  };
}
