/**
 * The part of node:dns/promises' Resolver that is used. Not its `reverse`, which reads the hosts file and calls a
 * broken name server a missing name.
 */
export interface DnsResolver {
  resolvePtr(name: string): Promise<string[]>;
  resolve4(name: string): Promise<string[]>;
  resolve6(name: string): Promise<string[]>;
  cancel?(): void;
}
