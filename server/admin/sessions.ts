import { hash, randomBytes } from 'node:crypto';
import type { Log } from '../log.ts';
import type { Registry } from '../projects/registry.ts';
import type { Session } from '../store/admin-store.ts';
import type { Store } from '../store/store.ts';

/** A session without a use for so long is over. */
export const sessionIdleMs = 30 * 24 * 60 * 60 * 1000;
/** How far what is stored may lie behind the last use. */
const touchMs = 60 * 60 * 1000;

/** 256 random bits, for a cookie or a link. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url');
}

export function hashToken(token: string): string {
  return hash('sha256', token);
}

interface SessionsOptions {
  store: Pick<Store, 'admin'>;
  registry: Registry;
  log: Log;
  now: () => number;
}

/** Who is signed in to the dashboard. */
export class Sessions {
  readonly #options: SessionsOptions;
  /** Uses that the registry may not know yet, by the hash of the session. */
  readonly #touching = new Map<string, number>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** A new one, not stored yet, and the token that stands for it. */
  make(): { token: string; session: Session } {
    const token = makeToken();
    const now = this.#options.now();
    return { token, session: { hash: hashToken(token), createdAt: now, usedAt: now } };
  }

  /** Undefined: unknown, ended, or unused for too long. */
  find(token: string | undefined): Session | undefined {
    if (token === undefined) return undefined;
    const { registry, now } = this.#options;
    const session = registry.session(hashToken(token));
    if (!session) return undefined;
    const idleMs = now() - Math.max(this.#touching.get(session.hash) ?? 0, session.usedAt);
    if (idleMs >= sessionIdleMs) return undefined;
    if (idleMs >= touchMs) void this.#touch(session.hash);
    return session;
  }

  /** Ends those that nobody can use any more. */
  async forgetIdle(): Promise<void> {
    await this.#options.store.admin.forgetSessions(this.#options.now() - sessionIdleMs);
  }

  /** The request does not wait for it. */
  async #touch(sessionHash: string): Promise<void> {
    const { store, registry, log, now } = this.#options;
    const usedAt = now();
    this.#touching.set(sessionHash, usedAt);
    try {
      await store.admin.touchSession(sessionHash, usedAt);
      await registry.refresh();
      // A refresh that was under way may have read what was there before; the next one brings it.
      if ((registry.session(sessionHash)?.usedAt ?? usedAt) < usedAt) return;
    } catch (error) {
      log.error('The use of a session could not be noted:', error);
    }
    this.#touching.delete(sessionHash);
  }
}
