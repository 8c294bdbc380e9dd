import { createHmac } from 'node:crypto';
import type { FactorSecretReply, RecoveryCodesReply } from '../../../shared/accounts/second-factor.ts';
import { type DashboardClient, password } from './dashboard.ts';

const path = '/v1/admin/second-factor';
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A telephone with an app that shows codes, as RFC 6238 says and without the library of the server. */
export function codeAt(secret: string, time: number): string {
  const bits = [...secret]
    .map((character) => alphabet.indexOf(character).toString(2).padStart(5, '0'))
    .join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(time / 30_000)));
  const digest = createHmac('sha1', key).update(step).digest();
  const number = digest.readUInt32BE((digest.at(-1) as number) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/** Turns the second factor of who is signed in on. */
export async function turnOn(
  client: DashboardClient,
  time: number,
  secretPassword = password,
): Promise<{ secret: string; recoveryCodes: string[] }> {
  const { secret } = await client.must<FactorSecretReply>('POST', `${path}/secret`);
  const body = { password: secretPassword, secret, code: codeAt(secret, time) };
  return { secret, ...(await client.must<RecoveryCodesReply>('POST', path, body)) };
}

/** One tries to sign in. */
export const enter = (
  client: DashboardClient,
  credentials: { name?: string; password?: string; code?: string },
  headers: Record<string, string> = {},
) => client.send('POST', '/v1/admin/session', { body: { password, ...credentials }, headers });
