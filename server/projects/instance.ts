import { hkdfSync, timingSafeEqual } from 'node:crypto';

/**
 * What an installation is known by to those who have its key: nothing of the key follows from it, and nobody else can make it.
 */
export function instanceOf(secretKey: Buffer): string {
  return Buffer.from(hkdfSync('sha256', secretKey, '', 'headcount instance', 16)).toString('hex');
}

export function isInstance(instance: string, claimed: string): boolean {
  const [own, other] = [Buffer.from(instance), Buffer.from(claimed)];
  return own.length === other.length && timingSafeEqual(own, other);
}
