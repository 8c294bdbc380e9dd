import type { AddressListReply } from '../../../shared/accounts/admin.ts';
import { feeds } from './feeds.ts';
import { accusesForMs } from './ranges.ts';

/**
 * The lists of addresses that operators publish, the oldest first.
 *
 * @param times when each was last confirmed, in milliseconds since 1970
 */
export function listAges(times: ReadonlyMap<string, number>, now: number): AddressListReply[] {
  return feeds
    .map(({ id, tokens }) => ({ id, tokens, at: times.get(id) }))
    .sort((a, b) => (a.at ?? 0) - (b.at ?? 0) || (a.id < b.id ? -1 : 1))
    .map(({ id, tokens, at }) => ({
      list: id,
      clients: [...tokens],
      confirmedAt: at === undefined ? null : new Date(at).toISOString(),
      isRecent: at !== undefined && now - at < accusesForMs,
    }));
}
