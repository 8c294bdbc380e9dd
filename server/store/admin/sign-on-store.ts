import type { Session } from './admin-store.ts';

/** An account at a provider, as the provider tells it from all others of its own. */
export interface SignOn {
  issuer: string;
  subject: string;
}

/** `taken`: another user has connected it; `closed`: the link was used or is too old. */
export type ConnectOutcome = 'connected' | 'taken' | 'closed';

/** Accounts at providers that users sign in by; each has at most one of a provider. */
export interface SignOnStore {
  hasSignOn(userId: string, issuer: string): Promise<boolean>;
  /** In the place of another one of the same provider. */
  connectSignOn(userId: string, signOn: SignOn): Promise<Exclude<ConnectOutcome, 'closed'>>;
  /** Uses up the link of a user, whose other sessions end as their password does, and begins this one. */
  redeemLinkBySignOn(linkHash: string, signOn: SignOn, session: Session): Promise<ConnectOutcome>;
  /** Answers false where there is none. */
  disconnectSignOn(userId: string, issuer: string): Promise<boolean>;
  /** Answers false where no user has connected it. */
  startSessionBySignOn(signOn: SignOn, session: Session): Promise<boolean>;
}
