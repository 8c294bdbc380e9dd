import type { HitKind, HitWay } from '../../../shared/reports/tallies.ts';
import {
  aiViewSet,
  cutOffTallies,
  disallowedTally,
  failureTallies,
  isTold,
  type SiteResponse,
  withWayIn,
} from '../../counting/hit/site-response.ts';
import { countedPath } from '../../counting/page/personal-path.ts';
import { noTallies, type TallyEntry, type TallySet } from '../../counting/tally.ts';
import { findClientBySignatureHost } from '../../identity/catalogue.ts';
import type { SignatureVerdict } from '../../identity/proof/signatures/signature.ts';
import type { Hit, JudgedHit, Via } from './hit.ts';

/** What the tallies of a hit are about. */
type Tallied = Pick<JudgedHit, 'hit' | 'asked' | 'findings'>;

const wayOf: Record<Via, HitWay> = { script: 'script', pixel: 'image', report: 'report' };

/** What a view adds to besides. Of people by the script, who are most, it is always the same object. */
export function talliesOfView(judged: JudgedHit): TallySet {
  const { hit, project, asked, kind, client, findings } = judged;
  const way = wayOf[hit.via];
  if (kind === 'human') return withWayIn(way, 'people', signaturesOf(findings));
  const name = client?.name ?? '';
  const response = responseOf(hit, asked);
  const cutOff = cutOffTallies(name, response, () => countedPath(asked, project.settings));
  const besides = [...cutOff, ...disallowedOf(judged), ...signaturesOf(findings), ...networkOf(judged)];
  return aiViewSet(way, name, response, besides);
}

/** Whether the hit tells of a view, and not of what came after it. */
function isOfView({ event, seenFor }: Hit): boolean {
  return event === undefined && seenFor === undefined;
}

/** What a hit adds to that is not counted, whatever it was for. */
export function talliesOfDrop({ hit, findings }: Tallied): TallySet {
  if (!isOfView(hit)) return noTallies;
  return withWayIn(wayOf[hit.via], 'dropped' satisfies HitKind, signaturesOf(findings));
}

/** What a hit adds to that was for no page. */
export function talliesOfNoView(judged: JudgedHit): TallySet {
  const { hit, asked, project, client, findings } = judged;
  if (!isOfView(hit)) return noTallies;
  const response = responseOf(hit, asked);
  const told =
    client && isTold(response)
      ? failureTallies(client.name, countedPath(asked, project.settings), response)
      : [];
  return withWayIn(wayOf[hit.via], 'dropped', [...told, ...signaturesOf(findings)]);
}

/** @param asked with a kept query, or a route */
export function fileOf(asked: string): string {
  const end = asked.search(/[?#]/);
  return end < 0 ? asked : asked.slice(0, end);
}

function responseOf({ status, bytes, type }: Hit, asked: string): SiteResponse {
  return { file: fileOf(asked), status, bytes, type };
}

function disallowedOf({ isDisallowed, client, asked, project }: JudgedHit): TallyEntry[] {
  return isDisallowed && client ? [disallowedTally(client.name, countedPath(asked, project.settings))] : [];
}

function signaturesOf(findings: JudgedHit['findings']): TallyEntry[] {
  return findings?.signature ? [signatureTally(findings.signature)] : [];
}

function networkOf({ client, network }: JudgedHit): TallyEntry[] {
  return client && network ? [{ tally: 'ai-networks', group: client.name, name: network }] : [];
}

/** What became of a signature in few words, by the sentence that says it at length. */
const results: readonly (readonly [RegExp, string])[] = [
  [/^Its signature has expired/, 'expired'],
  [/^Its signature was created in the future/, 'from the future'],
  [/^Its signature does not fit/, 'does not fit the request'],
  [/^It covers neither @authority/, 'not bound to the site'],
  [/not reported/, 'covers what the report lacks'],
  [/not checked here|for another algorithm/, 'in a form that is not checked'],
  [/^The key directory of .* (is not known|is being fetched)/, 'key directory not known'],
  [/lists no key/, 'key not listed'],
  [/^The key of .* is not good/, 'key not good at this time'],
  [/not signed/, 'not signed'],
  [/no Signature-Agent/, 'names no signer'],
  [/used/, 'used before'],
];

/** Operators that the catalogue does not name are one, as anybody can make up more of them. */
function signatureTally(verdict: SignatureVerdict): TallyEntry {
  const operator = verdict.host && findClientBySignatureHost(verdict.host)?.operator;
  return { tally: 'signatures', group: operator || '(not known)', name: resultOf(verdict) };
}

function resultOf(verdict: SignatureVerdict): string {
  if (verdict.state === 'valid') return 'valid';
  return results.find(([sentence]) => sentence.test(verdict.why))?.[1] ?? 'cannot be read';
}
