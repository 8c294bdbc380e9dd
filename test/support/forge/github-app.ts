import { createHash, createVerify, generateKeyPairSync } from 'node:crypto';

/** Of all of them, as making one takes half a second. */
const keys = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  // PKCS#1, as GitHub hands keys out.
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

/** GitHub's side of one GitHub App: it checks signatures and hands out tokens. */
export class GithubAppDouble {
  readonly appId = '4711';
  readonly installationId = 815;
  readonly privateKey = keys.privateKey;
  /** What the installation was granted. */
  permissions: Record<string, string> = { metadata: 'read', contents: 'write', pull_requests: 'write' };
  lifetimeMs = 3_600_000;
  now: () => number = Date.now;
  readonly tokens = new Map<
    string,
    { repositories: string[]; permissions: Record<string, string>; expiresAt: number }
  >();
  #made = 0;

  isSigned(jwt: string | undefined): boolean {
    const [header = '', payload = '', signature = ''] = (jwt ?? '').split('.');
    const verify = createVerify('RSA-SHA256').update(`${header}.${payload}`);
    if (!verify.verify(keys.publicKey, Buffer.from(signature, 'base64url'))) return false;
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const now = this.now() / 1000;
    return (
      String(claims.iss) === this.appId &&
      claims.iat <= now &&
      claims.exp > now &&
      claims.exp - claims.iat <= 600
    );
  }

  make(repositories: string[], permissions: Record<string, string>): { token: string; expires_at: string } {
    const token = `ghs_${createHash('sha256')
      .update(`${++this.#made}`)
      .digest('hex')
      .slice(0, 36)}`;
    const expiresAt = this.now() + this.lifetimeMs;
    this.tokens.set(token, { repositories, permissions, expiresAt });
    return { token, expires_at: new Date(expiresAt).toISOString() };
  }

  mayWrite(token: string | undefined, path: string): boolean {
    const known = this.tokens.get(token ?? '');
    if (!known || known.expiresAt < this.now() || known.permissions.contents !== 'write') return false;
    return known.repositories.some((name) => path.includes(`/${name}.git/`));
  }
}
