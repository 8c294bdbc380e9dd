import type { FactorProof } from './factor-store.ts';

/** Somebody who is signed in to the dashboard. */
export interface Session {
  /** Lower-case hexadecimal SHA-256 of the token in the cookie; the token itself is never stored. */
  hash: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** The same, of the last use; up to an hour behind. */
  usedAt: number;
}

/** A session, and whose it is. */
export interface OwnedSession extends Session {
  /** Null: the administrator's. */
  userId: string | null;
}

/** A public address of what is counted for a project. */
export interface Link {
  id: string;
  projectId: string;
  kind: 'page' | 'badge';
  /** Stored as it is: the dashboard shows the address again, and it opens only what is stored beside it anyway. */
  token: string;
  createdAt: string;
}

/** Sessions of the administrator, or of one user, at once, however many begin together; the one that was used longest ago makes room. */
export const maxSessions = 100;

/**
 * What the dashboard needs. As in `Store`, each method is a whole unit of work. Passwords come here hashed, as a text that
 * says how (`$scrypt$…`).
 */
export interface AdminStore {
  /** Null: nobody has set a password yet. */
  readPassword(): Promise<string | null>;
  /** Makes the token of this hash the only one that sets a password, once and until then (milliseconds since 1970). */
  offerSetup(tokenHash: string, expiresAt: number): Promise<void>;
  isSetupOpen(tokenHash: string, now: number): Promise<boolean>;
  /**
   * Sets the administrator's password by such a token; all of their sessions end and this one begins, unless it takes a
   * second factor, too. False: it was used or is too old.
   */
  redeemSetup(tokenHash: string, password: string, session: Session): Promise<boolean>;
  /** Sets the password, whatever it was; the one-time link and all sessions of the administrator end. */
  resetPassword(password: string): Promise<void>;
  /** The same for who is signed in and stays so. False, and nothing changes: the password is another by now. */
  changePassword(current: string, next: string, keptSession: string): Promise<boolean>;

  /**
   * Of the administrator. False: the password is not this one any more, or the proof is not what the account asks for.
   *
   * @param proof left out: there is no second factor
   */
  startSession(session: Session, password: string, proof?: FactorProof | null): Promise<boolean>;
  touchSession(hash: string, usedAt: number): Promise<void>;
  /** Those of users, too, as all methods do that name nobody. */
  listSessions(): Promise<OwnedSession[]>;
  /** As `onDirectoryChange`: after a session began, was used or ended, and after a user was changed. */
  onSessionChange(changed: () => void): () => void;
  endSession(hash: string): Promise<void>;
  /** Of the administrator. */
  endSessions(): Promise<void>;
  /** Forgets those without a use since that moment. */
  forgetSessions(before: number): Promise<void>;

  /** Answers false where there is no such project. */
  addLink(link: Link): Promise<boolean>;
  /** Answers false where the project has no such link. */
  removeLink(projectId: string, linkId: string): Promise<boolean>;

  /** Notes on which day (`YYYY-MM-DD`) keys were used, unless a later one is known. */
  markKeys(uses: { keyId: string; day: string }[]): Promise<void>;
  /** Day of the last use by the id of the key; unused ones are not in it. */
  keyUses(): Promise<Record<string, string>>;
}
