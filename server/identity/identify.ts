import { type AiClient, findClient, findClientByMarker, findClientBySignatureHost } from './catalogue.ts';
import { findClaimInHeaders, inferFromHeaders } from './headers.ts';
import type { Bot, Evidence, Findings, Identity, Rule } from './identity.ts';
import { asAi, identifyUserAgent } from './user-agent.ts';

/** A client that the request says it is, and which of its words say so. */
interface Claim {
  readonly client: AiClient;
  readonly rule: Rule;
}

/**
 * Who made a request, by what is known now. To prove a claim, call it again with the findings.
 *
 * @param byUserAgent for callers that remember what `identifyUserAgent` says
 */
export function identify(
  evidence: Evidence,
  byUserAgent: Identity = identifyUserAgent(evidence.userAgent),
): Identity {
  const { headers, page, findings } = evidence;
  if (headers === undefined && page === undefined && findings === undefined) return byUserAgent;
  const claim = findClaim(evidence, byUserAgent);
  if (claim) return classifyClaim(claim, findings);
  if (isSigned(findings) && !isUnlisted(byUserAgent, findings)) {
    return { kind: 'bot', family: 'signed automation', rule: 'signature' };
  }
  return classifyBehaviour(evidence, byUserAgent);
}

/**
 * Where several words disagree: a signature names the signer whatever else is said, unless the user agent
 * names another product of the same operator.
 */
function findClaim({ headers, page, findings }: Evidence, byUserAgent: Identity): Claim | undefined {
  const named = byUserAgent.kind === 'ai' ? findClient(byUserAgent.client) : undefined;
  const host = findings?.signature?.host;
  const signer = host === undefined ? undefined : findClientBySignatureHost(host);
  if (signer && signer.operator !== named?.operator) return { client: signer, rule: 'signature' };
  if (named) return { client: named, rule: byUserAgent.rule };
  const marked = findMarked(page);
  if (marked) return { client: marked, rule: 'page-marker' };
  return headers && findClaimInHeaders(headers);
}

function findMarked(page: string | undefined): AiClient | undefined {
  for (const marker of page ?? '') {
    const client = findClientByMarker(marker);
    if (client) return client;
  }
  return undefined;
}

function classifyClaim({ client, rule }: Claim, findings: Findings = {}): Identity {
  const { ranges, dns, signature } = findings;
  if (signature?.state === 'valid' && isSigner(client, signature.host)) {
    return asAi(client, 'verified', 'signature');
  }
  if (ranges === 'inside' || dns === 'confirmed') return asAi(client, 'verified', 'address');
  if (signature?.state === 'invalid') return spoofed(client, 'signature');
  if (!client.runsOnUserMachine && isRefuted(client, ranges, dns)) return spoofed(client, 'address');
  return asAi(client, rule === 'page-marker' ? 'inferred' : 'claimed', rule);
}

/** People sign nothing: this is somebody's agent, and here nothing says that it is AI. */
function isSigned({ signature }: Findings = {}): boolean {
  return signature !== undefined && (signature.host !== undefined || signature.state !== 'unknown');
}

/** A client that says itself it is AI may sign with a key that nobody knows; a false signature is no client's. */
function isUnlisted(byUserAgent: Identity, { signature }: Findings = {}): boolean {
  return byUserAgent.kind === 'ai' && signature?.state !== 'invalid';
}

/** The host signs for this client or for its operator. */
function isSigner({ operator }: AiClient, host: string | undefined): boolean {
  return host !== undefined && findClientBySignatureHost(host)?.operator === operator;
}

function isRefuted(client: AiClient, ranges: Findings['ranges'], dns: Findings['dns']): boolean {
  return ranges === 'outside' || (dns === 'refused' && client.reverseDns?.documented === true);
}

function spoofed({ client }: AiClient, rule: Rule): Bot {
  return { kind: 'bot', family: 'spoofed AI client', spoofed: client, rule };
}

function classifyBehaviour(
  { via, headers, page, secure, userAgent }: Evidence,
  byUserAgent: Identity,
): Identity {
  if (page?.includes('w') && byUserAgent.kind === 'human') {
    return { kind: 'bot', family: 'automated browser', rule: 'webdriver' };
  }
  if (via !== 'report' || headers === undefined) return byUserAgent;
  return inferFromHeaders({ headers, secure: secure === true, userAgent }, byUserAgent);
}
