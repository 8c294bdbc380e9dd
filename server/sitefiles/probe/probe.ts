import { setTimeout as pause } from 'node:timers/promises';
import type { AiClient } from '../../identity/catalogue.ts';
import type { HttpsGetBytes } from '../../net/https-get.ts';
import { browserHeaders, userAgentOf } from './probed-client.ts';
import {
  type EdgeReply,
  judgeBrowser,
  judgeClient,
  type ProbeOutcome,
  type ProbeVerdict,
} from './verdict.ts';

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
