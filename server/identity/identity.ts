import type { BotFamily } from '../../shared/identity/bot-family.ts';

/** The purpose that an AI client reads for. */
export const purposes = ['training', 'search', 'assistant', 'coding', 'browser'] as const;
export type Purpose = (typeof purposes)[number];

/**
 * How well an AI identity is proved. `verified`: its address or signature is the operator's. `claimed`: it
 * says so itself. `inferred`: it behaves so.
 */
type Proof = 'verified' | 'claimed' | 'inferred';

/** The rule that decided. Stable: reports, tests and `whois` use these names. */
export type Rule =
  | 'empty-user-agent'
  | 'plain-browser'
  | 'android-browser'
  | 'phone-browser'
  | 'token'
  | 'unattested-token'
  | 'in-app-browser'
  | 'person'
  | 'bot-name'
  | 'maker-address'
  | 'maker-name'
  | 'self-declared'
  | 'ai-form'
  | 'no-browser'
  | 'isbot'
  | 'no-sign'
  | 'signature'
  | 'address'
  | 'agent-header'
  | 'signature-agent'
  | 'page-marker'
  | 'webdriver'
  | 'client-hints'
  | 'accept-markdown'
  | 'disguise'
  | 'name-switching';

export interface Human {
  readonly kind: 'human';
  readonly rule: Rule;
}

export interface Ai {
  readonly kind: 'ai';
  /** Its name, unique in the catalogue. */
  readonly client: string;
  readonly operator: string;
  readonly purpose: Purpose | 'unknown';
  readonly proof: Proof;
  readonly rule: Rule;
}

export interface Bot {
  readonly kind: 'bot';
  readonly family: BotFamily;
  /** The AI client that it pretends to be; only in the family `spoofed AI client`. */
  readonly spoofed?: string;
  readonly rule: Rule;
}

export type Identity = Human | Ai | Bot;

/** What look-ups found about the client that it claims to be. */
export interface Findings {
  /** Is the address in the ranges that the operator publishes? */
  readonly ranges?: 'inside' | 'outside' | 'unknown';
  /** Does forward-confirmed reverse DNS end in the operator's suffix? */
  readonly dns?: 'confirmed' | 'refused' | 'unknown';
  /** Web Bot Auth, with the host whose key directory signed. */
  readonly signature?: { readonly state: 'valid' | 'invalid' | 'unknown'; readonly host?: string };
}

/** All evidence about a hit so far. */
export interface Evidence {
  readonly via: 'script' | 'pixel' | 'report';
  readonly userAgent: string;
  /**
   * By lower-case name. Only a `report` has those of the page request itself: what a browser's script or
   * pixel request accepts says nothing about the page.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The page was asked for over https and the report passes on Sec-Fetch-*, so that they may be missed. */
  readonly secure?: boolean | undefined;
  /** Letters that the tracker reports: `w` for navigator.webdriver, the others are markers in the catalogue. */
  readonly page?: string | undefined;
  readonly findings?: Findings | undefined;
}
