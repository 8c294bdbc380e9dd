import { setTimeout as pause } from 'node:timers/promises';
import type { AiClient } from '../../identity/catalogue.ts';
import type { HttpsGetBytes } from '../../net/https-get.ts';
import { browserHeaders, userAgentOf } from './probed-client.ts';

const limits = { timeoutMs: 20_000, maxBytes: 1_000_000, isCut: true };

/** As a browser follows them, on hosts of the project. */
const maxRedirects = 4;

export interface ProbeParts {
  get: HttpsGetBytes;
  /** Between two requests. */
  pauseMs: number;
  isOwnHost: (host: string) => boolean;
  onProgress: (done: number, all: number) => void;
}

interface ClientVerdict extends ProbeVerdict {
  client: string;
  operator: string;
  purpose: string;
  /** The operator says where it comes from, so that an edge can know that this probe is not it. */
  isProvable: boolean;
}

export interface ProbeResult {
  address: string;
  browser: ProbeVerdict;
  clients: ClientVerdict[];
  counts: Record<ProbeOutcome, number>;
}

/** Asks for a page as a browser and as each client, one after the other. */
export async function probe(
  address: string,
  clients: readonly AiClient[],
  parts: ProbeParts,
): Promise<ProbeResult> {
  const reply = await ask(address, browserHeaders, parts);
  const browser = { reply, verdict: judgeBrowser(reply) };
  const verdicts: ClientVerdict[] = [];
  for (const client of clients) {
    parts.onProgress(verdicts.length, clients.length);
    await pause(parts.pauseMs);
    const headers = { 'user-agent': userAgentOf(client) ?? '', accept: '*/*' };
    verdicts.push({
      ...describe(client),
      ...judgeClient(await ask(address, headers, parts), browser),
    });
  }
  parts.onProgress(clients.length, clients.length);
  const counts = { open: 0, challenged: 0, blocked: 0, inconclusive: 0 };
  for (const { outcome } of verdicts) counts[outcome]++;
  return { address, browser: browser.verdict, clients: verdicts, counts };
}

function describe({ client, operator, purpose, ranges, reverseDns, signatureHosts }: AiClient) {
  return {
    client,
    operator,
    purpose,
    isProvable: (ranges ?? reverseDns ?? signatureHosts) !== undefined,
  };
}

async function ask(
  address: string,
  headers: Readonly<Record<string, string>>,
  { get, isOwnHost }: ProbeParts,
): Promise<EdgeReply> {
  let at = address;
  try {
    for (let hop = 0; ; hop++) {
      const { bytes, ...answer } = await get(at, { ...limits, headers: { ...headers } });
      const reply = { ...answer, body: bytes.toString('utf8') };
      const next = redirectOf(reply, at);
      if (!next || hop === maxRedirects || !isOwnHost(next.hostname)) return reply;
      at = next.href;
    }
  } catch (error) {
    return { isRefused: isReset(error), reason: (error as Error).message };
  }
}

function redirectOf(
  { status, headers }: Exclude<EdgeReply, { isRefused: boolean }>,
  from: string,
): URL | null {
  if (![301, 302, 303, 307, 308].includes(status) || typeof headers.location !== 'string') return null;
  // A challenge is known by where it is, not by what it shows.
  return /challenge|captcha/i.test(headers.location) ? null : URL.parse(headers.location, from);
}

/** The other side ended the connection without an answer. */
function isReset(error: unknown): boolean {
  const codes = ['ECONNRESET', 'EPIPE', 'ERR_SSL_TLSV1_ALERT_ACCESS_DENIED', 'UND_ERR_SOCKET'];
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    if (codes.includes(String((cause as NodeJS.ErrnoException).code))) return true;
  }
  return false;
}

/** What an edge answered, as far as it is looked at. */
export interface EdgeAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

interface Mark {
  edge: string;
  header?: { name: string; value: RegExp };
  /** In pages that only a challenge has. */
  body?: RegExp;
  /** Where a redirect to a challenge leads. */
  location?: RegExp;
}

/** Of edges that ask a visitor to prove that it is a person; from their documentation and pages, November 2026. */
const marks: readonly Mark[] = [
  { edge: 'Cloudflare', header: { name: 'cf-mitigated', value: /^challenge$/i } },
  { edge: 'Cloudflare', body: /_cf_chl_opt|<title>Just a moment\.\.\.<\/title>/ },
  { edge: 'Cloudflare', location: /\/cdn-cgi\/challenge|__cf_chl_/ },
  { edge: 'AWS WAF', header: { name: 'x-amzn-waf-action', value: /^(?:challenge|captcha)$/i } },
  { edge: 'AWS WAF', body: /AwsWafIntegration|awsWafCookieDomainList/ },
  { edge: 'Vercel', header: { name: 'x-vercel-mitigated', value: /^challenge$/i } },
  { edge: 'Vercel', body: /<title>Vercel Security Checkpoint/i },
  { edge: 'DataDome', body: /captcha-delivery\.com/ },
  { edge: 'HUMAN (PerimeterX)', body: /id="px-captcha"|_pxAppId/ },
  { edge: 'Imperva', body: /_Incapsula_Resource\?[^"]*(?:SWUDNSAI|CWUDNSAI|incident_id)/ },
  { edge: 'Akamai', body: /sec-if-cpt-container|sec-bc-tile-container/ },
  { edge: 'Kasada', header: { name: 'x-kpsdk-ct', value: /./ } },
  { edge: 'Kasada', body: /window\.KPSDK/ },
  { edge: 'F5', body: /\/TSPD\/|bobcmn/ },
  { edge: 'Sucuri', body: /sucuri_cloudproxy_js/ },
  { edge: 'DDoS-Guard', body: /\/\.well-known\/ddos-guard\/|<title>DDoS-Guard<\/title>/i },
  { edge: 'Anubis', body: /\/\.within\.website\/x\/cmd\/anubis\/|id="anubis_/ },
  { edge: 'go-away', body: /\/git\/go-away\// },
];

/** Pages of a site have these too, where a person fills in a form. */
const captcha = /class="(?:cf-turnstile|g-recaptcha|h-captcha)"|challenges\.cloudflare\.com\/turnstile/;
const challengeAddress = /[/_-](?:captcha|challenge|bot-?check|human-?check|verify-?(?:human|browser))\b/i;

/**
 * Who asks for a proof in this answer.
 *
 * @param usual what a browser is answered: what stands there too is no challenge
 */
export function findChallenge(answer: EdgeAnswer, usual?: EdgeAnswer): string | undefined {
  const { headers, body } = answer;
  const location = textOf(headers.location);
  const found = marks.find(
    (mark) =>
      mark.header?.value.test(textOf(headers[mark.header.name])) ||
      mark.location?.test(location) ||
      (mark.body?.test(body) && !mark.body.test(usual?.body ?? '')),
  );
  if (found) return found.edge;
  if (challengeAddress.test(location)) return 'The site';
  return captcha.test(body) && usual !== undefined && !captcha.test(usual.body) ? 'The site' : undefined;
}

function textOf(field: string | string[] | undefined): string {
  return Array.isArray(field) ? field.join(', ') : (field ?? '');
}

export type ProbeOutcome = 'open' | 'challenged' | 'blocked' | 'inconclusive';

export interface ProbeVerdict {
  outcome: ProbeOutcome;
  /** Null: there was no answer. */
  status: number | null;
  why: string;
}

/** No answer: the other side ended the connection, or it is not known why. */
interface NoAnswer {
  isRefused: boolean;
  reason: string;
}

export type EdgeReply = EdgeAnswer | NoAnswer;

const refusals: Readonly<Record<number, string>> = {
  401: 'It asks for a password (401).',
  402: 'It asks for payment (402).',
  403: 'It is refused (403).',
  404: 'The answer is that there is no such page (404).',
  405: 'Its way of asking is refused (405).',
  406: 'The answer is that there is nothing in a format for it (406).',
  410: 'The answer is that the page is gone (410).',
  418: 'It is refused (418).',
  429: 'The answer is that it asks too often (429), though it asked once.',
  451: 'It is refused for legal reasons (451).',
};

/** A browser has nobody to be compared with. */
export function judgeBrowser(reply: EdgeReply): ProbeVerdict {
  return judge(reply);
}

/** What the edge makes of a client, against what it makes of a browser. */
export function judgeClient(
  reply: EdgeReply,
  browser: { reply: EdgeReply; verdict: ProbeVerdict },
): ProbeVerdict {
  const usual = browser.verdict.outcome === 'open' && 'status' in browser.reply ? browser.reply : undefined;
  const verdict = judge(reply, usual);
  if (usual || verdict.outcome === 'open') return verdict;
  return {
    ...verdict,
    outcome: 'inconclusive',
    why: `${verdict.why} But the browser of this probe was not let in either.`,
  };
}

function judge(reply: EdgeReply, usual?: EdgeAnswer): ProbeVerdict {
  if (!('status' in reply)) {
    return { outcome: reply.isRefused ? 'blocked' : 'inconclusive', status: null, why: reply.reason };
  }
  const { status } = reply;
  const challenger = findChallenge(reply, usual);
  if (challenger) {
    return {
      outcome: 'challenged',
      status,
      why: `${challenger} asks it to prove that it is a person (${status}).`,
    };
  }
  const refusal = refusals[status];
  if (refusal) return { outcome: 'blocked', status, why: refusal };
  if (status >= 200 && status < 300) return compare(reply, usual);
  const why =
    status >= 300 && status < 400 ? `It is sent elsewhere (${status}).` : `The site failed (${status}).`;
  return { outcome: 'inconclusive', status, why };
}

function compare(reply: EdgeAnswer, usual: EdgeAnswer | undefined): ProbeVerdict {
  const { status } = reply;
  if (usual === undefined) return { outcome: 'open', status, why: 'It gets the page.' };
  if (/markdown|text\/plain/.test(String(reply.headers['content-type'])))
    return { outcome: 'open', status, why: 'It gets the page as plain text.' };
  if (isAlike(reply.body, usual.body))
    return { outcome: 'open', status, why: 'It gets the same page as a browser.' };
  return {
    outcome: 'inconclusive',
    status,
    why: `It gets another page than a browser (${reply.body.length} characters, not ${usual.body.length}).`,
  };
}

/** Pages change from one request to the next, and challenges that nobody knows are short and have other words. */
const leastShare = 0.5;

function isAlike(one: string, other: string): boolean {
  if (one === other) return true;
  const [words, others] = [wordsOf(one), wordsOf(other)];
  const larger = Math.max(words.size, others.size);
  if (larger === 0) return true;
  return [...words].filter((word) => others.has(word)).length / larger >= leastShare;
}

/** Of what is seen. */
function wordsOf(html: string): Set<string> {
  const text = html
    .replace(/<(script|style|noscript)\b[\s\S]*?<\/\1\s*>/gi, ' ')
    .replace(/<[^<>]*>/g, ' ')
    .toLowerCase();
  return new Set(text.match(/[\p{L}\p{N}]{2,}/gu) ?? []);
}
