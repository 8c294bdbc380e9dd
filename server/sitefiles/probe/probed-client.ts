import { type AiClient, ofCatalogue } from '../../identity/catalogue.ts';

/** How an AI client calls itself, as far as edges look at it. */
export function userAgentOf({ tokens }: Pick<AiClient, 'tokens'>): string | undefined {
  const [token] = tokens;
  if (token === undefined) return undefined;
  const bare = token.replace(/^\^|\$$/g, '');
  const named = bare.endsWith('/') ? `${bare}1.0` : `${bare}/1.0`;
  return token.startsWith('^')
    ? named
    : `Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ${named})`;
}

/** Clients that can be imitated. */
export const imitable = ofCatalogue((clients) => clients.filter(({ tokens }) => tokens.length > 0));

/** Those whose operators say by what they can be known: the ones that edges have rules for. */
export const usualClients = ofCatalogue(() =>
  imitable().filter(({ ranges, reverseDns, signatureHosts }) => ranges ?? reverseDns ?? signatureHosts),
);

/** A person's browser. */
export const browserHeaders: Readonly<Record<string, string>> = {
  'user-agent':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'accept-language': 'en-US,en;q=0.9',
  'sec-ch-ua': '"Chromium";v="142", "Google Chrome";v="142", "Not_A Brand";v="99"',
  'sec-ch-ua-mobile': '?0',
  'sec-ch-ua-platform': '"Windows"',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'none',
  'sec-fetch-user': '?1',
  'upgrade-insecure-requests': '1',
};
