import { isIP } from 'node:net';
import { checkAddress, type MayReach, PrivateAddress, resolveWithin } from '../../net/reach.ts';
import { JobFailure } from '../failure.ts';
import { inSettings } from '../text/in-settings.ts';
import { explainGit } from './git-failure.ts';

interface PinOptions {
  /** HEADCOUNT_PRIVATE_NETWORKS. */
  mayReach: MayReach;
  /** Settings of the operator, such as https_proxy. */
  network?: Readonly<Record<string, string>>;
}

/**
 * Looks a remote's name up, judges what it leads to, and has git connect to that: a name that changes its mind gains
 * nothing. Behind a proxy, names are the proxy's business.
 *
 * @throws JobFailure private_network or network
 */
export async function pinAddress(
  { url, origin }: { url: string; origin: string },
  { mayReach, network = {} }: PinOptions,
): Promise<[string, string][]> {
  const { protocol, hostname, port } = new URL(origin);
  if (protocol === 'file:') return [];
  try {
    checkAddress(new URL(origin), mayReach);
    if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || isProxied(protocol, network)) return [];
    const found = await resolveWithin(hostname, mayReach);
    const addresses = found.map(({ address, family }) => (family === 6 ? `[${address}]` : address));
    const at = port || (protocol === 'https:' ? '443' : '80');
    return [['http.curloptResolve', `${hostname}:${at}:${addresses.join(',')}`]];
  } catch (error) {
    if (!(error instanceof PrivateAddress)) throw explainGit('could not resolve host', { url, command: '' });
    throw new JobFailure(
      'private_network',
      `${origin} is in a private network: allow it with HEADCOUNT_PRIVATE_NETWORKS, or set another address ${inSettings('--repository')}.`,
    );
  }
}

function isProxied(protocol: string, network: Readonly<Record<string, string>>): boolean {
  const names = protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy'];
  return [...names, 'all_proxy', 'ALL_PROXY'].some((name) => network[name]);
}
