import { addressOf } from '../../config/own-address.ts';
import type { Store } from '../../store/store.ts';
import { hashToken, makeToken } from './sessions.ts';

const goodForMs = 24 * 60 * 60 * 1000;

/** An address that sets the dashboard's password, once and within a day; it ends an earlier one. */
export async function offerSetupLink(
  { admin }: Pick<Store, 'admin'>,
  { baseUrl, now }: { baseUrl: string; now: number },
): Promise<string> {
  const token = makeToken();
  await admin.offerSetup(hashToken(token), now + goodForMs);
  // A fragment is sent to no server, so that the token is in nobody's log.
  return addressOf(baseUrl, `/setup#${token}`);
}
