import { isIP } from 'node:net';
import { memoize } from '../memo.ts';
import { isLocalAddress } from './address.ts';

/** RFC 6761, 6762, 8375 and the name that ICANN keeps free for private use, and what routers and people call networks. */
const privateNames = /\.(?:localhost|test|local|internal|home\.arpa|lan|home|intranet)$/;

/** Whether only one machine or network knows the host, as where somebody builds a site. @param host as `URL` has it */
export const isPrivateHost = memoize((host) => {
  const bare = host.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0) return isLocalAddress(bare);
  return !host.includes('.') || privateNames.test(host);
}, 10_000);
