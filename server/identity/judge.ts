import { memoize } from '../memo.ts';
import { isPublicAddress } from '../net/https-get.ts';
import { findClient, ofCatalogue } from './catalogue.ts';
import { identify } from './identify.ts';
import type { Evidence, Identity } from './identity.ts';
import { type DetailedFindings, feedsOf, type ProofQuestion, type Proofs } from './proof/proof.ts';
import { identifyUserAgent } from './user-agent.ts';

/** A request for a page, as far as it tells who made it. */
export interface Witness {
  via: Evidence['via'];
  /** Absolute address of the page. */
  url: string;
  method?: string | undefined;
  /** IP address of whoever asked; left out: not known. */
  address?: string | undefined;
  userAgent: string;
  /** The page request's own headers, by lower-case name; only a report has them. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Letters of what the tracker found in the page. */
  pageSigns?: string | undefined;
  /** Milliseconds since 1970; left out: now. */
  at?: number | undefined;
}

export interface Judgement {
  identity: Identity;
  /** What was looked up, to be given back if the request is not accepted in the end. */
  findings?: DetailedFindings | undefined;
}

const remembered = ofCatalogue(() => memoize(identifyUserAgent, 20_000));
const byUserAgent = (userAgent: string) => remembered()(userAgent);

const signatureHeaders = ['signature', 'signature-input', 'signature-agent'];

/** Who made the request, by what is known now; look-ups that would tell more improve the next answer. */
export function judge(witness: Witness, proofs: Pick<Proofs, 'check'>): Judgement {
  const claimed = identifyClaim(witness);
  const question = questionOf(witness, claimed);
  if (!question) return { identity: claimed };
  return conclude(witness, proofs.check(question));
}

/** The same after the look-ups, some seconds at most. */
export async function judgeThoroughly(witness: Witness, proofs: Pick<Proofs, 'prove'>): Promise<Judgement> {
  const question = questionOf(witness, identifyClaim(witness));
  return conclude(witness, question ? await proofs.prove(question) : undefined);
}

/** Who it says it is, or looks like. */
function identifyClaim(witness: Witness): Identity {
  return identify(evidenceOf(witness), byUserAgent(witness.userAgent));
}

function conclude(witness: Witness, findings: DetailedFindings | undefined): Judgement {
  return {
    identity: identify({ ...evidenceOf(witness), findings }, byUserAgent(witness.userAgent)),
    findings,
  };
}

function evidenceOf({ via, url, userAgent, headers, pageSigns: page }: Witness): Evidence {
  // Who passes on Accept passes on Sec-Fetch-* as well; browsers send these over https only.
  const secure = headers?.accept !== undefined && url.startsWith('https:');
  return { via, userAgent, headers, page, secure };
}

/** What could prove the claim; undefined where there is nothing to prove. */
function questionOf(witness: Witness, claimed: Identity): ProofQuestion | undefined {
  const { address, url, method, headers, at } = witness;
  const isSigned = headers !== undefined && signatureHeaders.some((name) => name in headers);
  // A private address tells where our own proxy stands, not where the request came from.
  const isProvable = claimed.kind === 'ai' && address !== undefined && isPublicAddress(address);
  const client = isProvable ? findClient(claimed.client) : undefined;
  if (!client && !isSigned) return undefined;
  const feeds = (client?.tokens ?? []).map(feedsOf);
  return {
    ip: address ?? '',
    ...(at !== undefined && { at }),
    feeds: feeds.flatMap((feed) => feed.feeds),
    alsoElsewhere: feeds.some((feed) => feed.alsoElsewhere),
    suffixes: client?.reverseDns?.suffixes ?? [],
    ...(isSigned && {
      request: { url, headers, ...(method !== undefined && { method }), ...(at !== undefined && { at }) },
    }),
  };
}
