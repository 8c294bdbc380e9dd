import type { BotFamily } from '../../shared/identity/bot-family.ts';
import { type AiClient, findClientBySignatureHost, getClient, ofCatalogue } from './catalogue.ts';
import type { Identity, Rule } from './identity.ts';
import { asAi } from './user-agent.ts';

type ClientHeaders = Readonly<Record<string, string>>;

/** The request for a page as its server saw it. */
interface PageRequest {
  readonly headers: ClientHeaders;
  /** It came over https. */
  readonly secure: boolean;
  readonly userAgent: string;
}

const agentHeaders = ofCatalogue((clients) =>
  clients.flatMap((client) => {
    if (client.header === undefined) return [];
    const [name = '', start = ''] = client.header.split(': ');
    return [{ client, name, start: start.toLowerCase() }];
  }),
);

/** Both forms of the field: `"https://chatgpt.com"` and `g="https://agent.bot.goog"`. */
const signatureAgent = /"https:\/\/([a-z0-9.-]{1,253})/i;

/** Claims of a request in headers other than the user agent. */
export function findClaimInHeaders(headers: ClientHeaders): { client: AiClient; rule: Rule } | undefined {
  for (const { client, name, start } of agentHeaders()) {
    if (headers[name]?.toLowerCase().startsWith(start)) return { client, rule: 'agent-header' };
  }
  const host = headers['signature-agent'] && signatureAgent.exec(headers['signature-agent'])?.[1];
  const signer = host ? findClientBySignatureHost(host.toLowerCase()) : undefined;
  return signer && { client: signer, rule: 'signature-agent' };
}

/** People's programs and unknown tools may be an agent in disguise; a bot that names itself is not. */
const disguises: ReadonlySet<BotFamily> = new Set([
  'library',
  'headless browser',
  'empty user agent',
  'other bot',
]);

/** Programs by how they request Markdown, as seen in their requests. The first whose words all match. */
const markdownReaders: readonly (readonly [client: string, accept: string, userAgent: readonly string[]])[] =
  [
    ['opencode', 'text/markdown;q=1.0, text/x-markdown', ['chrome/']],
    ['OpenClaw', 'text/markdown, text/html;q=0.9, */*;q=0.8', ['mac os x 14_7_2', 'chrome/']],
    ['Claude Code', 'text/markdown, text/html, */*', ['axios/']],
    ['Claude desktop', '', ['claude/', 'electron/']],
    ['Cursor', '', ['cursor/', 'electron/']],
    ['Trae', '', ['trae/', 'electron/']],
  ];
const unnamed = 'Unnamed coding agent';

/** A catalogue has to hold them. */
export const ruledClients: readonly string[] = [...markdownReaders.map(([client]) => client), unnamed];

/** No browser's Accept is as long. */
const maxAcceptLength = 1024;

/** The strong sign first; of the weak ones it takes two, and then they say automation, not AI. */
export function inferFromHeaders(request: PageRequest, byUserAgent: Identity): Identity {
  if (byUserAgent.kind === 'ai') return byUserAgent;
  if (byUserAgent.kind === 'bot' && !disguises.has(byUserAgent.family)) return byUserAgent;
  const accept = request.headers.accept?.slice(0, maxAcceptLength).toLowerCase() ?? '';
  if (wantsMarkdown(accept)) {
    return asAi(findMarkdownReader(accept, request.userAgent.toLowerCase()), 'inferred', 'accept-markdown');
  }
  if (byUserAgent.kind !== 'human') return byUserAgent;
  if (/headless/i.test(request.headers['sec-ch-ua'] ?? '')) {
    return { kind: 'bot', family: 'headless browser', rule: 'client-hints' };
  }
  return countWeakSigns(request, accept) >= 2
    ? { kind: 'bot', family: 'disguised automation', rule: 'disguise' }
    : byUserAgent;
}

/** Named, and not with `q=0`, which would refuse it. */
function wantsMarkdown(accept: string): boolean {
  return (
    accept.includes('markdown') &&
    accept
      .split(',')
      .some(
        (range) =>
          /^[ \t]{0,9}text\/(?:x-)?markdown[ \t]{0,9}(?:;|$)/.test(range) &&
          !/;[ \t]{0,9}q=0(?:\.0{0,3})?[ \t]{0,9}$/.test(range),
      )
  );
}

function findMarkdownReader(accept: string, userAgent: string): AiClient {
  const known = markdownReaders.find(
    ([, form, words]) => accept.startsWith(form) && words.every((word) => userAgent.includes(word)),
  );
  return getClient(known?.[0] ?? unnamed);
}

/** The first Chrome that sends Sec-Fetch-* with every navigation. */
const secFetchSince = 80;

function countWeakSigns({ headers, secure, userAgent }: PageRequest, accept: string): number {
  const chrome = Number(/ Chrome\/(\d{1,4})/.exec(userAgent)?.[1] ?? 0);
  if (chrome < secFetchSince) return 0;
  const signs = [
    secure && !Object.keys(headers).some((name) => name.startsWith('sec-fetch-')),
    // Chrome froze the version at 10_15_7; extensions that change user agents exist.
    /Intel Mac OS X 1[1-9]_/.test(userAgent),
    // A navigation asks for a page; scripts that fetch one may not.
    accept !== '' && !accept.includes('text/html'),
    // As seen from ChatGPT agent, which runs on Linux and says macOS.
    /Macintosh/.test(userAgent) && /linux/i.test(headers['sec-ch-ua-platform'] ?? ''),
  ];
  return signs.filter(Boolean).length;
}
