import type { ProjectRole } from '../../../shared/accounts/role.ts';
import type { Session } from './admin-store.ts';
import type { FactorProof } from './factor-store.ts';

/** Somebody who signs in with a name of their own. */
export interface User {
  id: string;
  name: string;
  createdAt: string;
  roles: ProjectRole[];
  /** False: nobody has used a link yet. */
  hasPassword: boolean;
  hasSecondFactor: boolean;
  /** Whether they have connected an account at a provider. */
  hasSignOn: boolean;
  /** Until when the link is good (milliseconds since 1970); null: there is none that nobody has used. */
  linkExpiresAt: number | null;
}

/** A link that sets a user's password, once and until then. */
export interface PasswordLink {
  /** Lower-case hexadecimal SHA-256 of the token; the token itself is never stored. */
  hash: string;
  expiresAt: number;
}

export type AddedUser = Pick<User, 'id' | 'name' | 'createdAt' | 'roles'>;

/**
 * Users, what they may do, and how they sign in. Whatever changes is told to those who listen to sessions: a user who is
 * removed is signed out, and other roles hold, as soon as they have read both again.
 */
export interface UserStore {
  /** By name. */
  listUsers(): Promise<User[]>;
  /** Roles in projects that are not there are left out. Answers false where the name is taken. */
  addUser(user: AddedUser, link: PasswordLink): Promise<boolean>;
  /** These and no others. Answers false where there is no such user. */
  setRoles(userId: string, roles: readonly ProjectRole[]): Promise<boolean>;
  /** With all sessions. Answers false where there is no such user. */
  removeUser(userId: string): Promise<boolean>;

  /** Makes this the user's only link. Answers false where there is no such user. */
  offerLink(userId: string, link: PasswordLink): Promise<boolean>;
  /** Whose it is; null: it was used, is too old, or there is none. */
  findLink(hash: string, now: number): Promise<string | null>;
  /**
   * Sets the password by a link; all sessions of its user end and this one begins, unless it takes a second factor, too.
   * False: it was used or is too old.
   */
  redeemLink(hash: string, password: string, session: Session): Promise<boolean>;

  /** What the password is checked by; null: there is no such user, or none was set. */
  findPassword(name: string): Promise<{ userId: string; password: string } | null>;
  /** Sets the password of who is signed in and stays so; all other sessions of the user end, and so does the link. */
  changePassword(userId: string, current: string, next: string, keptSession: string): Promise<boolean>;
  /** As the administrator's. */
  startSession(
    userId: string,
    session: Session,
    password: string,
    proof?: FactorProof | null,
  ): Promise<boolean>;
  endSessions(userId: string): Promise<void>;
}
