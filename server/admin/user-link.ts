import type { ProjectRole } from '../../shared/accounts/role.ts';
import { addressOf } from '../config/own-address.ts';
import { randomText } from '../projects/key.ts';
import type { AddedUser, PasswordLink } from '../store/admin/users.ts';
import { hashToken, makeToken } from './sign-in/sessions.ts';

/** Longer than that of the administrator, as somebody else has to find time for it. */
const goodForMs = 7 * 24 * 60 * 60 * 1000;

export interface Moment {
  /** By which browsers reach the server. */
  baseUrl: string;
  now: number;
}

export interface UserLink {
  /** Shown once. */
  url: string;
  stored: PasswordLink;
}

/** A user that nobody has stored yet, and the link that their first password comes by. */
export function makeUser(
  name: string,
  roles: ProjectRole[],
  moment: Moment,
): { user: AddedUser; link: UserLink } {
  const createdAt = new Date(moment.now).toISOString();
  return {
    user: { id: `user_${randomText(12)}`, name, roles, createdAt },
    link: makeUserLink(name, moment),
  };
}

/** An address that sets a user's password, once and within a week, and what is stored of it. */
export function makeUserLink(name: string, { baseUrl, now }: Moment): UserLink {
  const token = makeToken();
  return {
    // As in the administrator's, no server sees the token; the name is for password managers.
    url: addressOf(baseUrl, `/invitation#${token}/${encodeURIComponent(name)}`),
    stored: { hash: hashToken(token), expiresAt: now + goodForMs },
  };
}
