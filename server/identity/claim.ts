import type { ClaimCheck } from '../../shared/replies/analytics.ts';
import { findClient } from './catalogue.ts';
import { feedsOf } from './proof/proof.ts';
import { accusesForMs } from './proof/ranges.ts';

/**
 * Why what a client says of itself is not proved, as far as it is known now.
 *
 * @param feedTimes when each list of addresses was last confirmed, in milliseconds since 1970
 */
export function checkOfClaim(name: string, feedTimes: ReadonlyMap<string, number>, now: number): ClaimCheck {
  const client = findClient(name);
  if (!client) return 'not_listed';
  if (client.runsOnUserMachine) return 'user_machine';
  const feeds = client.tokens.flatMap((token) => feedsOf(token).feeds);
  const isHeld = feeds.some((feed) => now - (feedTimes.get(feed) ?? 0) < accusesForMs);
  if (isHeld) return 'not_in_list';
  if (feeds.length > 0 || client.ranges) return 'list_not_loaded';
  if (client.reverseDns) return 'name_not_confirmed';
  return client.signatureHosts ? 'not_signed' : 'nothing_published';
}
