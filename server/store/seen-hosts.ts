import { isPrivateHost } from '../net/private-host.ts';

/** Strangers can send many hosts; a site and its developers have few. */
const maxHosts = { public: 20, private: 5 };
const maxLength = 253;

interface Noted {
  readonly seenHosts?: readonly string[] | null;
}

/** Whether a host that was counted is worth noting. */
export function isNewHost(seen: readonly string[], host: string): boolean {
  if (host.length > maxLength || seen.includes(host)) return false;
  const isPrivate = isPrivateHost(host);
  const alike = seen.filter((other) => isPrivateHost(other) === isPrivate).length;
  return alike < maxHosts[isPrivate ? 'private' : 'public'];
}

/** Settings as they are stored, with one host more; undefined: it is not to be noted. */
export function withHost<Stored extends Noted>(stored: Stored, host: string): Stored | undefined {
  const seen = stored.seenHosts ?? [];
  return isNewHost(seen, host) ? { ...stored, seenHosts: [...seen, host] } : undefined;
}

/** Settings to store, with the hosts noted so far, which the author of the change may not know. */
export function withSeenHosts<Settings extends Noted>(settings: Settings, stored: Noted): Settings {
  return { ...settings, seenHosts: stored.seenHosts ?? [] };
}
