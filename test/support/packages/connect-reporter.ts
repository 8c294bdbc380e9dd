import { onTestFinished } from 'vitest';
import type { FetchContext } from '../../../connect/types/fetch.d.ts';
import type { Options } from '../../../connect/types/options.d.ts';
import { connectFetch, startReceiver } from './connect.ts';

export const key = 'hc_ingest_example';
export const html = () => new Response('<p>', { headers: { 'content-type': 'text/html' } });

/** A receiver until the end of the test. */
export const receiver = async (...given: Parameters<typeof startReceiver>) => {
  const started = await startReceiver(...given);
  onTestFinished(() => started.stop());
  return started;
};

/** Reports made without a site around them. */
export const reporter = (server: string, options: Partial<Options> = {}) => {
  const log: string[] = [];
  const headcount = connectFetch({ server, key, log: (message) => log.push(message), ...options });
  const report = (path: string, headers: Record<string, string> = {}, context: FetchContext = {}) =>
    headcount.report(new Request(`https://example.com${path}`, { headers }), html(), {
      address: '198.51.100.1',
      ...context,
    });
  return { ...headcount, report, log };
};

/** Of all pages that were reported. */
export const pathsOf = (batches: { hits: Record<string, unknown>[] }[]) =>
  batches.flatMap(({ hits }) => hits.map(({ url }) => new URL(String(url)).pathname));
