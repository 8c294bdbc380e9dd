import type { TalliedReason } from '../../../shared/hit.ts';
import { type Calendars, openAfterEndMs } from '../../counting/calendar.ts';
import { askRules, findDrop, type RuleAnswers, type RuleDrop } from '../../counting/drop-rules.ts';
import { hitTime } from '../../counting/hit/hit-time.ts';
import { type Page, parsePage } from '../../counting/page/page.ts';
import { untwinned } from '../../counting/page/twin.ts';
import type { TallySet } from '../../counting/tally.ts';
import type { Identity } from '../../identity/identity.ts';
import { judge } from '../../identity/judge.ts';
import { NameSwitching, operatorNamed, scanner } from '../../identity/name-switching.ts';
import type { FindNetwork } from '../../identity/networks/asn-database.ts';
import { hintOf, isHintOf, type NetworkHint } from '../../identity/networks/network-hint.ts';
import type { Proofs } from '../../identity/proof/proof.ts';
import type { LiveProject, Registry } from '../../projects/registry.ts';
import type { SiteFiles } from '../../sitefiles/site-files.ts';
import type { Drop, Hit, JudgedHit } from './hit.ts';
import type { HitRates } from './hit-rates.ts';
import { fileOf, talliesOfDrop, talliesOfNoView } from './hit-tallies.ts';

/** A hit on its way through the rules; a person's until told otherwise. */
interface Draft extends JudgedHit {
  leavesPeople: boolean;
}

interface Parts {
  registry: Pick<Registry, 'project'>;
  calendars: Calendars;
  proofs: Proofs;
  /** Where there is a database of networks. */
  findNetwork: FindNetwork | null;
  siteFiles: Pick<SiteFiles, 'disallows'>;
  rates: HitRates;
  now: () => number;
}

/** Says of each hit whether it counts, and as what. */
export class HitJudge {
  readonly #parts: Parts;
  readonly #names = new NameSwitching();
  readonly #answers: RuleAnswers<Draft, RuleDrop> = {
    page: ({ page, project }) => askRules('page', page, project),
    address: ({ hit, project }) => askRules('address', hit.address, project),
    sender: (draft) => this.#identify(draft),
    people: (draft) => askRules('people', draft, draft.project),
    request: ({ hit, project }) => askRules('request', requestOf(hit), project),
    file: ({ hit, asked, project }) => {
      const { isChosen, status } = requestOf(hit);
      return askRules('file', { isChosen, status, file: fileOf(asked) }, project);
    },
  };

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  judge(hit: Hit): JudgedHit | Drop {
    const { registry, calendars, rates, now } = this.#parts;
    const project = registry.project(hit.projectId);
    if (!project) return { dropped: 'unknown_project' };
    const askedPage = parsePage(hit.url, project.settings.keptParameters, hit.hashRoutes);
    if (!askedPage) return invalid('The address of the page must be an absolute http or https URL.');
    const receivedAt = now();
    const at = hitTime(hit.at, receivedAt);
    if (at === undefined) {
      return invalid('The time of the hit lies in the future: check the clock of the sender.');
    }
    const { timeZone } = project.settings;
    const draft: Draft = {
      hit,
      project,
      page: pageOf(askedPage, hit, project),
      asked: askedPage.path,
      day: calendars.dayOf(timeZone, at),
      hour: calendars.hourOf(timeZone, at),
      at,
      kind: 'human',
      client: null,
      network: undefined,
      isDisallowed: false,
      findings: undefined,
      leavesPeople: hit.leavesPeople === true,
    };
    if (at < receivedAt - openAfterEndMs) return tallied(draft, 'too_old');
    const drop = findDrop(draft, this.#answers);
    if (hit.seenFor !== undefined && draft.kind !== 'human') return { dropped: 'not_a_person' };
    if (drop?.reason === 'no_page') return tallied(draft, 'no_page', '', talliesOfNoView(draft));
    if (drop) return tallied(draft, drop.reason, drop.family);
    // Reports and logs are for whoever has the key to answer.
    const isOver = hit.via !== 'report' && rates.isOver(project.id, hit.address, receivedAt);
    if (isOver) return tallied(draft, 'rate_limited');
    draft.isDisallowed = this.#isDisallowed(draft);
    return draft;
  }

  #isDisallowed({ hit: { url }, project, client, at }: Draft): boolean {
    return client !== null && this.#parts.siteFiles.disallows({ project, client: client.name, url, at });
  }

  #networkOf(identity: Identity, address: string): NetworkHint | undefined {
    const { findNetwork } = this.#parts;
    if (!findNetwork || identity.kind !== 'ai' || !isHintOf(identity)) return undefined;
    return hintOf(identity.operator, address, findNetwork);
  }

  #isScanner(identity: Identity, { hit: { address }, project, at }: Draft): boolean {
    if (identity.kind === 'human') this.#names.person(project.id, address);
    const operator = operatorNamed(identity);
    const isScanner = operator !== undefined && this.#names.isScanner(project.id, address, operator, at);
    // What is refuted is told as such.
    return isScanner && identity.kind === 'ai';
  }

  #identify(draft: Draft): RuleDrop | undefined {
    const { identity: found, findings } = judge(draft.hit, this.#parts.proofs);
    draft.findings = findings;
    const identity = this.#isScanner(found, draft) ? scanner : found;
    const drop = askRules('sender', identity, draft.project);
    if (drop || identity.kind === 'bot') return drop;
    draft.kind = identity.kind;
    draft.client = identity.kind === 'ai' ? { name: identity.client, proof: identity.proof } : null;
    draft.network = this.#networkOf(identity, draft.hit.address);
    return undefined;
  }
}

/** Why this hit is not counted, for the tally of its day. */
export function tallied(
  judged: JudgedHit,
  dropped: TalliedReason,
  family = '',
  tallies: TallySet = talliesOfDrop(judged),
): Drop {
  const { project, day, hit } = judged;
  return { dropped, family, tally: { projectId: project.id, day, tallies, bytes: hit.bytes ?? 0 } };
}

function invalid(error: string): Drop {
  return { dropped: 'invalid', error };
}

/** As far as it says whether it was for a page: of an event only where it happened. */
function requestOf({ via, event, status, headers, isAhead }: Hit) {
  return via === 'report' && !event
    ? { isChosen: true, status, headers, isAhead }
    : { isChosen: true, status: undefined, headers: undefined, isAhead };
}

/** A browser that runs the script or shows the image shows a page, whatever the end of its name. */
function pageOf(page: Page, hit: Hit, { settings }: LiveProject): Page {
  if (hit.via !== 'report') return page;
  const path = untwinned(page.path, settings);
  return path === page.path ? page : { ...page, path };
}
