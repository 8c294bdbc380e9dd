import { hash, randomBytes } from 'node:crypto';
import type { Request } from 'express';
import type { Config } from '../config/config.ts';
import { clientAddress } from '../net/address.ts';

const field = 'x-headcount-asked-for';
/** No other process knows it, so nobody else can name an address by the field. */
const pass = randomBytes(32).toString('base64url');
const passHash = hash('sha256', pass);

/** For a request of this process to itself, which is made for the client of another. */
export function onBehalfOf(address: string): Record<string, string> {
  return { [field]: `${pass} ${address}` };
}

/** Where the request comes from, as far as trusted proxies report it. */
export function addressOf({ config }: { config: Config }, req: Request): string {
  const [given, address] = req.get(field)?.split(' ', 2) ?? [];
  if (given !== undefined && address !== undefined && hash('sha256', given) === passHash) return address;
  return clientAddress(req.socket.remoteAddress ?? '', req.get('x-forwarded-for'), config.trustedProxies);
}
