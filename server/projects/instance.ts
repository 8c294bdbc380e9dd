import { hkdfSync, timingSafeEqual } from 'node:crypto';

/**
 * Identifies an installation to everybody who has its key. It reveals nothing of the key, and only the key makes it.
 */
export function instanceOf(secretKey: Buffer): string {
  return Buffer.from(hkdfSync('sha256', secretKey, '', 'headcount instance', 16)).toString('hex');
}

export function isInstance(instance: string, claimed: string): boolean {
  const [own, other] = [Buffer.from(instance), Buffer.from(claimed)];
  return own.length === other.length && timingSafeEqual(own, other);
}
