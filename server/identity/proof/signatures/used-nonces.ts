import { hash } from 'node:crypto';
import { SignatureError } from './signature-error.ts';
import type { SignatureInput } from './signature-input.ts';

const maxNonces = 50_000;

/** Nonces of signatures: a second request with one is a copy of the first. */
export class UsedNonces {
  /** In the order they came. An expired signature is refused anyway, so that the oldest may go first. */
  readonly #uses = new Set<string>();

  /** Answers what `release` takes, if there is a nonce. @throws SignatureError where it was used before */
  use(host: string, { keyid, nonce }: SignatureInput): { nonce?: string } {
    if (nonce === undefined) return {};
    const use = hash('sha256', JSON.stringify([host, keyid, nonce]), 'base64url');
    if (this.#uses.has(use)) throw new SignatureError('Its nonce was used before: the request is a copy.');
    this.#uses.add(use);
    for (const oldest of this.#uses) {
      if (this.#uses.size <= maxNonces) break;
      this.#uses.delete(oldest);
    }
    return { nonce: use };
  }

  release(use: string): void {
    this.#uses.delete(use);
  }
}
