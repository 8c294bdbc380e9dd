import { generate } from 'selfsigned';

/** A certificate (PEM) that is good for these names, and is the authority to trust for it. */
export async function makeCertificate(names: readonly string[]): Promise<{ key: string; cert: string }> {
  const altNames = names.map((value) => ({ type: 2 as const, value }));
  const { private: key, cert } = await generate([{ name: 'commonName', value: String(names[0]) }], {
    algorithm: 'sha256',
    keyType: 'ec',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames },
    ],
  });
  return { key, cert };
}
