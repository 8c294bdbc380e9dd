import { type BlockList, isIP } from 'node:net';
import { isInList, parseAddress, toBlockList } from './address.ts';

/** Where clouds answer their machines about themselves, credentials included. Most of them are private addresses anyway. */
export const metadataAddresses: readonly string[] = [
  // AWS, Google Cloud, Azure, Oracle, DigitalOcean, Hetzner, OpenStack and others
  '169.254.169.254',
  // AWS: IMDS over IPv6, ECS and EKS
  ...['fd00:ec2::254', '169.254.170.2', '169.254.170.23', 'fd00:ec2::23'],
  // Google Cloud, over IPv6
  'fd20:ce::254',
  // Azure's WireServer is a public address.
  '168.63.129.16',
  // Alibaba Cloud, Oracle Cloud, Tencent Cloud
  ...['100.100.100.200', '192.0.0.192', '169.254.0.23'],
  // Scaleway, OpenStack over IPv6
  ...['169.254.42.42', 'fd00:42::42', 'fe80::a9fe:a9fe'],
];

const addresses: BlockList = toBlockList(metadataAddresses);

const names =
  /^(?:metadata|instance-data|metadata\.goog|metadata\.(?:google|azure)\.internal|instance-data\.ec2\.internal|metadata\.tencentyun\.com|metadata\.platformequinix\.com)$/;

export function isMetadataAddress(address: string): boolean {
  const known = isIP(address) === 0 ? undefined : parseAddress(address);
  return known !== undefined && isInList(addresses, known);
}

/** @param host as `URL` has it */
export function isMetadataName(host: string): boolean {
  return names.test(host.replace(/\.$/, ''));
}
