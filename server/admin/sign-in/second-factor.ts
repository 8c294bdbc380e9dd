import { administrator } from '../../../shared/accounts/user.ts';
import type { FactorProof } from '../../store/admin/factors.ts';
import { hashToken } from './sessions.ts';

/** 160 bits, as RFC 4226 recommends. */
const secretBytes = 20;
/** 80 bits, too many to find by their hash. */
const recoveryBytes = 10;
const recoveryCount = 10;
/** The parameters that all apps support (RFC 6238): six digits by SHA-1, a new code every 30 seconds. */
const form = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** Steps that the clocks of app and server may differ by, either way. */
const maxSkew = 1;

/** Loaded with the first second factor. */
const library = () => import('otpauth');

/** In Base32 (RFC 4648), as apps take it. */
export async function makeFactorSecret(): Promise<string> {
  const { Secret } = await library();
  return new Secret({ size: secretBytes }).base32;
}

/**
 * What apps read from a picture: https://github.com/google/google-authenticator/wiki/Key-Uri-Format
 *
 * @param name of the user; null: the administrator
 */
export async function addressOfSecret(secret: string, name: string | null, server: string): Promise<string> {
  const { TOTP } = await library();
  const label = `${name ?? administrator} (${new URL(server).host})`;
  return new TOTP({ ...form, issuer: 'Headcount', label, secret }).toString();
}

/** The time step that a code is of; null: of none that is good now. */
export async function findStep(secret: string, code: string, now: number): Promise<number | null> {
  const { Secret, TOTP } = await library();
  const digits = normalize(code);
  if (!/^[0-9]{6}$/.test(digits)) return null;
  const delta = TOTP.validate({
    ...form,
    token: digits,
    secret: Secret.fromBase32(secret),
    timestamp: now,
    window: maxSkew,
  });
  return delta === null ? null : TOTP.counter({ period: form.period, timestamp: now }) + delta;
}

/** As they are shown, such as `k3pq-7xav-22lm-o4ci`. */
export async function makeRecoveryCodes(): Promise<string[]> {
  const { Secret } = await library();
  return Array.from({ length: recoveryCount }, () => {
    const text = new Secret({ size: recoveryBytes }).base32.toLowerCase();
    return text.match(/.{4}/g)?.join('-') ?? text;
  });
}

export const hashRecoveryCode = (code: string): string => hashToken(normalize(code));

export const isRecoveryCode = (code: string): boolean => /^[a-z2-7]{16}$/.test(normalize(code));

/** The proof by a recovery code, if the code was not used before. */
export const proofOfRecovery = (code: string): FactorProof => ({ recoveryCode: hashRecoveryCode(code) });

/** People type them with spaces, and in capitals. */
function normalize(code: string): string {
  return code.replaceAll(/[\s-]/g, '').toLowerCase();
}
