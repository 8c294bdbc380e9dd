import { hash, randomBytes } from 'node:crypto';
import type { Log } from '../../log.ts';
import { keepUp } from '../../projects/keep-up.ts';
import type { Session } from '../../store/admin/account.ts';
import { type OwnedSession, sessionTables, userTables } from '../../store/admin/admin.ts';
import type { User } from '../../store/admin/users.ts';
import { requireComplete, type Store } from '../../store/store.ts';

/** A session without a use for so long is over. */
export const sessionIdleMs = 30 * 24 * 60 * 60 * 1000;
/** And so is one that began so long ago, however much it is used. */
const sessionMaxMs = 90 * 24 * 60 * 60 * 1000;
/** How far what is stored may lie behind the last use. */
const touchMs = 60 * 60 * 1000;

/** 256 random bits, for a cookie or a link. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url');
}

export function hashToken(token: string): string {
  return hash('sha256', token);
}

/** A session, and whoever it belongs to as they may be served now. */
export interface SignedIn extends OwnedSession {
  /** Null: the administrator. */
  user: User | null;
}

interface SessionsOptions {
  store: Pick<Store, 'admin'>;
  log: Log;
  now: () => number;
}

/** Who is signed in to the dashboard: all sessions and users in memory, at most a second behind the store. */
export class Sessions {
  readonly #options: SessionsOptions;
  /** By the hash of the token. */
  #sessions = new Map<string, OwnedSession>();
  /** By their id. */
  #users = new Map<string, User>();
  #incomplete: ReadonlySet<string> = new Set();
  #readsBegun = 0;
  #newestRead = 0;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  async refresh(): Promise<void> {
    const read = ++this.#readsBegun;
    const { sessions, users, incomplete } = await this.#options.store.admin.readSignedIn();
    // A store need not answer in order, and an older answer would bring back who has signed out.
    if (read < this.#newestRead) return;
    this.#newestRead = read;
    this.#sessions = new Map(sessions.map((session) => [session.hash, this.#withLastUse(session)]));
    this.#users = new Map(users.map((user) => [user.id, user]));
    this.#incomplete = new Set(incomplete);
  }

  /** Keeps up with the store. Answers how to end it. */
  watch(): () => void {
    const { store, log } = this.#options;
    return keepUp({
      log,
      onChange: (listener) => store.admin.onSessionChange(listener),
      refresh: () => this.refresh(),
      complaint: 'Sessions could not be read again',
    });
  }

  /** Whether others than the administrator may sign in. */
  get hasUsers(): boolean {
    return this.#users.size > 0 || this.#incomplete.has('users');
  }

  /** A new one, not stored yet, and the token that stands for it. */
  make(): { token: string; session: Session } {
    const token = makeToken();
    const now = this.#options.now();
    return { token, session: { hash: hashToken(token), createdAt: now, usedAt: now } };
  }

  /**
   * Undefined: unknown, ended, unused for too long, begun too long ago, or of a user who is gone.
   *
   * @throws StoreError `damaged` where that cannot be known
   */
  find(token: string | undefined): SignedIn | undefined {
    if (token === undefined) return undefined;
    const session = this.#sessions.get(hashToken(token));
    if (!session) {
      requireComplete(this.#incomplete, ...sessionTables);
      return undefined;
    }
    const user = session.userId === null ? null : this.#users.get(session.userId);
    // What a user may do is read from these.
    if (user !== null) requireComplete(this.#incomplete, ...userTables);
    if (user === undefined) return undefined;
    const now = this.#options.now();
    const idleMs = now - session.usedAt;
    if (idleMs >= sessionIdleMs || now - session.createdAt >= sessionMaxMs) return undefined;
    if (idleMs >= touchMs) void this.#touch(session);
    return { ...session, user };
  }

  /** Ends those that nobody can use any more. */
  async forgetIdle(): Promise<void> {
    await this.#options.store.admin.forgetSessions(this.#options.now() - sessionIdleMs);
  }

  /** The request does not wait for it. */
  async #touch(session: OwnedSession): Promise<void> {
    const { store, log, now } = this.#options;
    const used = { ...session, usedAt: now() };
    this.#sessions.set(session.hash, used);
    try {
      await store.admin.touchSession(used.hash, used.usedAt);
    } catch (error) {
      log.error('The use of a session could not be noted:', error);
      // The next request tries again.
      if (this.#sessions.get(used.hash) === used) this.#sessions.set(used.hash, session);
    }
  }

  /** What was read may be older than a use that is just being stored. */
  #withLastUse(session: OwnedSession): OwnedSession {
    const known = this.#sessions.get(session.hash);
    return known && known.usedAt > session.usedAt ? known : session;
  }
}
