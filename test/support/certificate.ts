import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A certificate (PEM) that is good for these names, and is the authority to trust for it. */
export async function makeCertificate(names: readonly string[]): Promise<{ key: string; cert: string }> {
  const alternatives = names.map((name) => `DNS:${name}`).join(',');
  const { stdout } = await promisify(execFile)('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30'],
    ...['-subj', `/CN=${names[0]}`, '-addext', `subjectAltName=${alternatives}`],
    ...['-keyout', '-', '-out', '-'],
  ]);
  const [key = '', cert = ''] = stdout.match(/-----BEGIN (.+)-----[\s\S]+?-----END \1-----\n/g) ?? [];
  return { key, cert };
}
