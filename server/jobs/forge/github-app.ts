import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { z } from 'zod';
import { JobFailure } from '../failure.ts';
import type { GithubApp } from './auth.ts';
import type { JsonRequest } from './call.ts';

/** @throws ForgeRefusal, or the reason of the signal */
type Ask = (request: JsonRequest) => Promise<unknown>;

/** What a token may do. */
type Permissions = Readonly<Record<string, 'read' | 'write'>>;

/** What jobs need. */
const jobPermissions: Permissions = { contents: 'write', pull_requests: 'write' };
export const checkPermissions: Permissions = { checks: 'read', statuses: 'read' };

interface AppTokensOptions {
  app: GithubApp;
  permissions?: Permissions;
  /** Of the repository, and where it is below the API's address. */
  slug: string;
  path: string;
  now: () => number;
}

interface Token {
  token: string;
  expiresAt: number;
}

/** GitHub refuses a JWT from the future, or with a longer life. */
const clockSlackSeconds = 30;
const maxLifeSeconds = 600;

/** A token must outlive a slow push. */
const leftMs = 600_000;

const installation = z.object({ id: z.int() });
const accessToken = z.object({ token: z.string().min(1), expires_at: z.string() });

/** Tokens of a GitHub App's installation: one hour long, for one repository, and for nothing but what is asked for. */
export class AppTokens {
  readonly #options: AppTokensOptions;
  #current: Promise<Token> | undefined;

  constructor(options: AppTokensOptions) {
    this.#options = options;
  }

  /** @throws ForgeRefusal, JobFailure */
  async get(ask: Ask): Promise<string> {
    const current = this.#current;
    const known = await current?.catch(() => undefined);
    const isFresh = known !== undefined && known.expiresAt - leftMs > this.#options.now();
    // Whoever else waited for the same old token may have asked for the new one already.
    if (!isFresh && this.#current === current) this.#current = this.#make(ask);
    const { token } = await (this.#current as Promise<Token>);
    return token;
  }

  /** A token that was refused is not used again. */
  async forget(token: string): Promise<void> {
    const current = this.#current;
    const known = await current?.catch(() => undefined);
    if (known?.token === token && this.#current === current) this.#current = undefined;
  }

  async #make(ask: Ask): Promise<Token> {
    const { app, slug, permissions = jobPermissions } = this.#options;
    const headers = { authorization: `bearer ${this.#sign()}` };
    const id = app.installationId ?? (await this.#findInstallation(ask, headers));
    const path = `/app/installations/${id}/access_tokens`;
    const body = { repositories: [slug.split('/')[1]], permissions };
    const data = await ask({ method: 'POST', path, headers, body });
    const made = accessToken.safeParse(data);
    if (!made.success) throw new JobFailure('server_error', `GitHub gave no token for ${slug}.`);
    return { token: made.data.token, expiresAt: Date.parse(made.data.expires_at) };
  }

  async #findInstallation(ask: Ask, headers: JsonRequest['headers']): Promise<number> {
    const data = await ask({ method: 'GET', path: `${this.#options.path}/installation`, headers });
    const found = installation.safeParse(data);
    if (!found.success) {
      throw new JobFailure('server_error', `GitHub did not say where the App is installed.`);
    }
    return found.data.id;
  }

  /** https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app */
  #sign(): string {
    const { app, now } = this.#options;
    const issuedAt = Math.floor(now() / 1000) - clockSlackSeconds;
    const payload = { iat: issuedAt, exp: issuedAt + maxLifeSeconds, iss: app.appId };
    const message = [{ alg: 'RS256', typ: 'JWT' }, payload].map(toBase64url).join('.');
    return `${message}.${sign('sha256', Buffer.from(message), readKey(app.privateKey)).toString('base64url')}`;
  }
}

/** A key that was set in one line has its line feeds as `\n`. @throws JobFailure auth */
function readKey(pem: string): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = createPrivateKey(pem.replaceAll('\\n', '\n'));
  } catch {
    // Without a cause: its text may quote the key.
  }
  if (key?.asymmetricKeyType === 'rsa') return key;
  throw new JobFailure(
    'auth',
    "The GitHub App's private key cannot be read: give the whole PEM file that GitHub made for the App.",
  );
}

function toBase64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
