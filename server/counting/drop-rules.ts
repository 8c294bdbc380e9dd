import type { TalliedReason } from '../../shared/hit.ts';

/** What the owner of a site has settled about its hits. */
export interface SiteRules {
  acceptsHost(host: string): boolean;
  excludesPath(path: string): boolean;
  excludesAddress(address: string): boolean;
}

type Kind = 'human' | 'ai' | 'bot';

/** The parts of a hit that rules ask about. An answer depends on its part and the site, and on nothing else. */
interface Parts {
  /** The host is null where nobody tells it. */
  page: { readonly host: string | null; readonly path: string };
  /** IP address. */
  address: string;
  /** `spoofed` is the AI client that a bot pretends to be. */
  sender: { readonly kind: Kind; readonly family?: string; readonly spoofed?: string };
  people: { readonly kind: Kind; readonly leavesPeople: boolean };
}

type Part = keyof Parts;

interface Rule<Asked> {
  readonly reason: TalliedReason;
  drops(asked: Asked, site: SiteRules): boolean;
  /** What the tally names beside the reason. */
  family?(asked: Asked): string | undefined;
}

/** What is not counted. In this order: what the owner excluded is not judged further. */
const rules = {
  page: [
    { reason: 'foreign_host', drops: ({ host }, site) => host !== null && !site.acceptsHost(host) },
    { reason: 'excluded_path', drops: ({ path }, site) => site.excludesPath(path) },
  ],
  address: [{ reason: 'excluded_address', drops: (address, site) => site.excludesAddress(address) }],
  sender: [
    {
      reason: 'spoofed',
      drops: ({ spoofed }) => spoofed !== undefined,
      family: ({ spoofed }) => spoofed,
    },
    { reason: 'bot', drops: ({ kind }) => kind === 'bot', family: ({ family }) => family },
  ],
  people: [{ reason: 'left_to_script', drops: ({ kind, leavesPeople }) => leavesPeople && kind === 'human' }],
} as const satisfies { readonly [P in Part]: readonly Rule<Parts[P]>[] };

type RuleReason = (typeof rules)[Part][number]['reason'];

/** A hit that is not counted. */
export interface RuleDrop {
  readonly reason: RuleReason;
  /** The sort of bot, or the AI client that was spoofed; empty for other reasons. */
  readonly family: string;
}

/** What the rules on one part of a hit say. */
export function askRules<P extends Part>(part: P, asked: Parts[P], site: SiteRules): RuleDrop | undefined {
  for (const { reason, drops, family } of rules[part] as readonly (Rule<Parts[P]> & {
    reason: RuleReason;
  })[]) {
    if (drops(asked, site)) return { reason, family: family?.(asked) ?? '' };
  }
  return undefined;
}

/** Answers of `askRules` for each part of a hit: whoever counts many hits has most of them in memory. */
export type RuleAnswers<Hit, Drop> = { readonly [P in Part]: (hit: Hit) => Drop | undefined };

/** Why a hit is not counted. No part is asked about once one before it dropped the hit. */
export function findDrop<Hit, Drop>(hit: Hit, answers: RuleAnswers<Hit, Drop>): Drop | undefined {
  return answers.page(hit) ?? answers.address(hit) ?? answers.sender(hit) ?? answers.people(hit);
}
