import { hasGoals } from '../../../shared/project/goals.ts';
import type { HitKind, HitWay } from '../../../shared/reports/tallies.ts';
import { countedEvent } from '../../counting/event.ts';
import {
  aiViewSet,
  cutOffTallies,
  disallowedTally,
  failureTallies,
  isTold,
  type SiteResponse,
  withWayIn,
} from '../../counting/hit/site-response.ts';
import { countedCampaign } from '../../counting/page/campaign.ts';
import { countedPath } from '../../counting/page/personal-path.ts';
import { findSource, readPassage } from '../../counting/page/source.ts';
import type { FindPlace } from '../../counting/places/place.ts';
import { sightingOf } from '../../counting/sighting.ts';
import { noTallies, type TallyEntry, type TallySet } from '../../counting/tally.ts';
import type { View } from '../../counting/view.ts';
import { momentOf } from '../../counting/visit.ts';
import { parseTraits } from '../../counting/visitor/traits.ts';
import { visitorId } from '../../counting/visitor/visitor.ts';
import { findClientBySignatureHost } from '../../identity/catalogue.ts';
import type { SignatureVerdict } from '../../identity/proof/signatures/signature.ts';
import type { Salted } from '../sealing/salts.ts';
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

/** What a hit counts as: from here on nothing tells its address or user agent. */
export function toView(judged: JudgedHit, salted: Salted, findPlace: FindPlace): View {
  const { event } = judged.hit;
  if (event === undefined) return toPageView(judged, salted, findPlace);
  const { tallies, bytes, ...view } = toPageView(judged, salted, findPlace);
  return { ...view, event: countedEvent(event, judged.project.settings) };
}

function toPageView(judged: JudgedHit, { day, salt, networks }: Salted, findPlace: FindPlace): View {
  const { hit, project, page, hour, kind, client } = judged;
  const { device, browser, system } = parseTraits(hit.userAgent);
  const { country, region, city } = findPlace(hit.address);
  const source = findSource(page, hit.referrer, project);
  const visitor = visitorId(salt, hit.address, hit.userAgent);
  const path = countedPath(page.path, project.settings);
  const { utmCampaign, utmSource, utmMedium, ref } = countedCampaign(page.campaign, project.settings);
  const tallies = talliesOfView(judged);
  const sighting = sightingOfPassage(judged, { visitor, source, path });
  return {
    projectId: project.id,
    day,
    visitor,
    network: networks.numberOf(hit.address),
    kind,
    path,
    hour,
    moment: momentOf(day, judged.at),
    source,
    country,
    region,
    city,
    language: hit.language,
    device,
    browser,
    system,
    screen: hit.screen ?? null,
    utmCampaign,
    utmSource,
    utmMedium,
    ref,
    client,
    tallies: sighting ? [...tallies, sighting] : tallies,
    bytes: hit.bytes ?? 0,
    hasGoals: hasGoals(project.settings),
  };
}

/** Who landed at a passage that a link was to. */
function sightingOfPassage(
  { hit, kind }: JudgedHit,
  { visitor, source, path }: Pick<View, 'visitor' | 'source' | 'path'>,
): TallyEntry | undefined {
  // A step inside the site has no source.
  if (hit.directive === undefined || source === null || kind !== 'human') return undefined;
  const passage = readPassage(hit.directive);
  return passage === null ? undefined : sightingOf(visitor, source, passage, path);
}
