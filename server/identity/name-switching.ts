import { isPublicAddress } from '../net/https-get.ts';
import { findClient } from './catalogue.ts';
import type { Bot, Identity } from './identity.ts';

/** An address that says it is of so many operators within the window is none of them. */
const operatorsOfScanner = 3;
const windowMs = 60_000;
/** A scanner stays one until it has used no name of AI for so long. */
const quietMs = 10 * 60_000;
/** Those that were asked about longest ago make room: some 2 MB. */
const maxAddresses = 10_000;

interface Sender {
  operators: Set<string>;
  /** Of the first name in the window, and of the last. */
  since: number;
  last: number;
  /** People come from it too, so that it is a proxy or an office. */
  isShared: boolean;
  isScanner: boolean;
}

export const scanner: Bot = { kind: 'bot', family: 'security scanner', rule: 'name-switching' };

/**
 * Addresses that use the names of several operators of AI at one site within a minute: scanners, which try what AI clients are let in
 * to. Clients that run on their users' machines do not count, nor what is proved. In memory alone.
 */
export class NameSwitching {
  readonly #senders = new Map<string, Sender>();

  /**
   * Notes who a request says it is from.
   *
   * @param site of each one by itself
   * @param operator as `operatorNamed` found it
   * @param at milliseconds since 1970
   * @returns whether its address is a scanner's
   */
  isScanner(site: string, address: string, operator: string, at: number): boolean {
    const sender = this.#find(site, address, at);
    if (!sender) return false;
    sender.operators.add(operator);
    sender.last = at;
    sender.isScanner ||= !sender.isShared && sender.operators.size >= operatorsOfScanner;
    return sender.isScanner;
  }

  /** Notes that a person came from the address. */
  person(site: string, address: string): void {
    if (this.#senders.size === 0) return;
    const sender = this.#senders.get(`${site} ${address}`);
    if (sender) sender.isShared = true;
  }

  #find(site: string, address: string, at: number): Sender | undefined {
    const key = `${site} ${address}`;
    const known = this.#senders.get(key);
    if (!known && !isPublicAddress(address)) return undefined;
    this.#senders.delete(key);
    const isOver = known?.isScanner
      ? Math.abs(at - known.last) > quietMs
      : Math.abs(at - (known?.since ?? at)) > windowMs;
    const sender =
      known && !isOver
        ? known
        : { operators: new Set<string>(), since: at, last: at, isShared: false, isScanner: false };
    this.#senders.set(key, sender);
    if (this.#senders.size > maxAddresses) {
      const [oldest] = this.#senders.keys();
      if (oldest !== undefined) this.#senders.delete(oldest);
    }
    return sender;
  }
}

/** The operator of the AI client that a request says it is from, where its address should be that operator's. */
export function operatorNamed(identity: Identity): string | undefined {
  const name =
    identity.kind === 'ai' ? identity.client : identity.kind === 'bot' ? identity.spoofed : undefined;
  if (name === undefined || (identity.kind === 'ai' && identity.proof !== 'claimed')) return undefined;
  const client = findClient(name);
  return client?.runsOnUserMachine ? undefined : client?.operator;
}
