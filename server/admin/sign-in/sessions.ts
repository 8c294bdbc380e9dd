import { hash, randomBytes } from 'node:crypto';
import type { Log } from '../../log.ts';
import { subscribe } from '../../projects/subscribe.ts';
import { type OwnedSession, sessionTables, userTables } from '../../store/admin/admin.ts';
import type { Session } from '../../store/admin/factors.ts';
import type { User } from '../../store/admin/users.ts';
import { requireComplete, type Store } from '../../store/store.ts';

/** A session without a use for so long is over. */
export const sessionIdleMs = 30 * 24 * 60 * 60 * 1000;
/** And so is one that began so long ago, however much it is used. */
const sessionMaxMs = 90 * 24 * 60 * 60 * 1000;
/** How much older than the last use the stored time may be. */
const touchMs = 60 * 60 * 1000;

/** 256 random bits, for a cookie or a link. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url');
}

export function hashToken(token: string): string {
  return hash('sha256', token);
}

/** A session, and its user with their current roles. */
export interface SignedIn extends OwnedSession {
  /** Null: the administrator. */
  user: User | null;
}

interface SessionsOptions {
  store: Pick<Store, 'admin'>;
  log: Log;
  now: () => number;
}

/** All sessions and users of the dashboard in memory, at most a second behind the store. */
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
    // A store need not answer in order, and an older answer would bring back a session that was ended.
    if (read < this.#newestRead) return;
    this.#newestRead = read;
    this.#sessions = new Map(sessions.map((session) => [session.hash, this.#withLastUse(session)]));
    this.#users = new Map(users.map((user) => [user.id, user]));
    this.#incomplete = new Set(incomplete);
  }

  /** Reads again after each change in the store. Returns a function that stops it. */
  watch(): () => void {
    const { store, log } = this.#options;
    return subscribe({
      log,
      onChange: (listener) => store.admin.onSessionChange(listener),
      refresh: () => this.refresh(),
      failure: 'Sessions could not be read again',
    });
  }

  /** Whether others than the administrator may sign in. */
  get hasUsers(): boolean {
    return this.#users.size > 0 || this.#incomplete.has('users');
  }

  /** A new one, not stored yet, and its token. */
  make(): { token: string; session: Session } {
    const token = makeToken();
    const now = this.#options.now();
    return { token, session: { hash: hashToken(token), createdAt: now, usedAt: now } };
  }

  /**
   * Undefined: unknown, ended, unused for too long, begun too long ago, or of a removed user.
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
    // Permissions of users are read from these.
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
      log.error('The last use of a session could not be stored:', error);
      // The next request tries again.
      if (this.#sessions.get(used.hash) === used) this.#sessions.set(used.hash, session);
    }
  }

  /** A stored session may be older than a use that is just being stored. */
  #withLastUse(session: OwnedSession): OwnedSession {
    const known = this.#sessions.get(session.hash);
    return known && known.usedAt > session.usedAt ? known : session;
  }
}
