import { administrator, userName } from '../../../shared/accounts/user.ts';
import type { Session } from '../../store/admin/account.ts';
import type { FactorProof } from '../../store/admin/factors.ts';
import type { Store } from '../../store/store.ts';
import type { SignedIn } from './sessions.ts';

/** What a password opens: the administrator's account, or that of a user. */
export interface Account {
  /** Null: the administrator's; empty: there is no such user. */
  userId: string | null;
  /** How the password is checked; null: there is none, or no such user. */
  password: string | null;
  /** Answers false where the password is not this one any more, or what proves the second factor was used. */
  startSession(session: Session, password: string, proof: FactorProof | null): Promise<boolean>;
  changePassword(current: string, next: string, keptSession: string): Promise<boolean>;
  endSessions(): Promise<void>;
}

/** @param name as it is typed; without one it is the administrator's */
export async function findAccount(
  { admin, users }: Pick<Store, 'admin' | 'users'>,
  name: string | undefined,
): Promise<Account> {
  if (isAdministrator(name)) {
    return {
      userId: null,
      password: await admin.readPassword(),
      startSession: admin.startSession,
      changePassword: admin.changePassword,
      endSessions: admin.endSessions,
    };
  }
  const parsed = userName.safeParse(name);
  const found = parsed.success ? await users.findPassword(parsed.data) : null;
  const userId = found?.userId ?? '';
  return {
    userId,
    password: found?.password ?? null,
    startSession: (session, password, proof) => users.startSession(userId, session, password, proof),
    changePassword: (current, next, kept) => users.changePassword(userId, current, next, kept),
    endSessions: () => users.endSessions(userId),
  };
}

/** That of whoever is signed in. */
export function accountOf(
  store: Pick<Store, 'admin' | 'users'>,
  { user }: Pick<SignedIn, 'user'>,
): Promise<Account> {
  return findAccount(store, user?.name);
}

export function isAdministrator(name: string | undefined): boolean {
  const typed = name?.trim().toLowerCase() ?? '';
  return typed === '' || typed === administrator;
}
