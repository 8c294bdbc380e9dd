import { administrator, userName } from '../../../shared/accounts/user.ts';
import type { Actor, AuditEntry } from '../../store/admin/audit.ts';
import type { FactorProof, Session } from '../../store/admin/factors.ts';
import type { Store } from '../../store/store.ts';
import type { SignedIn } from './sessions.ts';

/** The account that a password belongs to: the administrator's, or a user's. */
export interface Account {
  /** Null: the administrator's; empty: there is no such user. */
  userId: string | null;
  /** How the password is checked; null: there is none, or no such user. */
  password: string | null;
  /** Returns false if the password has changed since, or the proof of the second factor was used already. */
  startSession(session: Session, password: string, proof: FactorProof | null): Promise<boolean>;
  changePassword(current: string, next: string, keptSession: string, noted: AuditEntry[]): Promise<boolean>;
  endSessions(): Promise<void>;
}

/** @param name as it is typed; without one it is the administrator's */
export async function findAccount(
  { admin, users, callAudited }: Pick<Store, 'admin' | 'users' | 'callAudited'>,
  name: string | undefined,
): Promise<Account> {
  if (isAdministrator(name)) {
    return {
      userId: null,
      password: await admin.readPassword(),
      startSession: admin.startSession,
      changePassword: (current, next, kept, noted) =>
        callAudited('admin', 'changePassword', [current, next, kept], noted),
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
    changePassword: (current, next, kept, noted) =>
      callAudited('users', 'changePassword', [userId, current, next, kept], noted),
    endSessions: () => users.endSessions(userId),
  };
}

/** The actor in the audit list when a link is used: its user. */
export async function actorOfLink(
  { users }: Pick<Store, 'users'>,
  hash: string,
  now: number,
): Promise<Actor & { name: string }> {
  const id = (await users.findLink(hash, now)) ?? '';
  return { kind: 'user', id, name: (await users.listUsers()).find((user) => user.id === id)?.name ?? id };
}

/** The account of the signed-in user. */
export function accountOf(
  store: Pick<Store, 'admin' | 'users' | 'callAudited'>,
  { user }: Pick<SignedIn, 'user'>,
): Promise<Account> {
  return findAccount(store, user?.name);
}

export function isAdministrator(name: string | undefined): boolean {
  const typed = name?.trim().toLowerCase() ?? '';
  return typed === '' || typed === administrator;
}
