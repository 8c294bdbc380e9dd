import type { Configuration } from 'openid-client';
import type { SignOnConfig } from '../../config/sign-on-settings.ts';
import { ApiError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { createGuardedFetch } from '../../net/guarded-fetch.ts';
import type { SignOn } from '../../store/admin/sign-ons.ts';
import { quoted } from '../../text/one-line.ts';

/** The provider's metadata is fetched again after so long. */
const discoveredMs = 60 * 60_000;

/** Values that the provider's response is checked against: only the browser that was sent there has them. */
export interface Checks {
  state: string;
  nonce: string;
  /** Of which only the hash goes through the browser's address (PKCE, RFC 7636). */
  verifier: string;
}

interface ProviderOptions {
  config: SignOnConfig;
  log: Log;
  now: () => number;
}

/** Loaded with the first such sign-in. */
const library = () => import('openid-client');

/** A provider of accounts, by OpenID Connect: the authorization code flow with PKCE. It is asked when it is needed. */
export class SignOnProvider {
  readonly #options: ProviderOptions;
  #discovered: { at: number; configuration: Promise<Configuration> } | undefined;

  constructor(options: ProviderOptions) {
    this.#options = options;
  }

  get label(): string {
    return this.#options.config.label;
  }

  get issuer(): string {
    return this.#options.config.issuer;
  }

  /** Where to send a person, and what to check when they come back. @throws ApiError `overloaded` */
  begin(redirectUri: string): Promise<{ address: string; checks: Checks }> {
    return this.#mapErrors(async () => {
      const client = await library();
      const checks = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const address = client.buildAuthorizationUrl(await this.#discover(), {
        redirect_uri: redirectUri,
        scope: 'openid',
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: 'S256',
      });
      return { address: address.href, checks };
    });
  }

  /**
   * The account, as the provider itself reports it.
   *
   * @param returned the address that they came back to, whole
   * @throws ApiError `forbidden`, `overloaded`
   */
  finish(returned: URL, { state, nonce, verifier }: Checks): Promise<SignOn> {
    return this.#mapErrors(async () => {
      const client = await library();
      const tokens = await client.authorizationCodeGrant(await this.#discover(), returned, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const { sub } = tokens.claims() ?? {};
      if (sub === undefined) throw new Error('The provider named no account.');
      return { issuer: this.issuer, subject: sub };
    });
  }

  async #discover(): Promise<Configuration> {
    const { now } = this.#options;
    if (!this.#discovered || now() - this.#discovered.at >= discoveredMs) {
      const asked = { at: now(), configuration: this.#askProvider() };
      this.#discovered = asked;
      asked.configuration.catch(() => {
        if (this.#discovered === asked) this.#discovered = undefined;
      });
    }
    return this.#discovered.configuration;
  }

  async #askProvider(): Promise<Configuration> {
    const client = await library();
    const { issuer, clientId, clientSecret } = this.#options.config;
    const authentication = clientSecret === null ? client.None() : undefined;
    return client.discovery(new URL(issuer), clientId, clientSecret ?? undefined, authentication, {
      [client.customFetch]: createProviderFetch() as never,
      // The setting lets no other address in than one of a private network.
      execute: issuer.startsWith('http:') ? [client.allowInsecureRequests] : [],
    });
  }

  async #mapErrors<T>(task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } catch (error) {
      const { AuthorizationResponseError } = await library();
      const { label } = this;
      if (error instanceof AuthorizationResponseError) {
        throw new ApiError(
          'forbidden',
          `${label} did not sign you in${describe(error.error)}: try again, or sign in with your password.`,
        );
      }
      this.#options.log.error(`Signing in with ${this.issuer} failed: ${quoted(inWords(error))}`);
      if (isUnreachable(error)) {
        throw new ApiError(
          'overloaded',
          `${label} cannot be reached: try again in a moment, or sign in with your password.`,
          { headers: { 'Retry-After': '10' } },
        );
      }
      throw new ApiError(
        'forbidden',
        `The response of ${label} cannot be trusted: try again, or sign in with your password. The log of the server says why.`,
      );
    }
  }
}

/** Words of the specification alone: the rest of the address anybody may have written. */
function describe(code: string): string {
  return code === 'access_denied' ? ', as it was refused there' : '';
}

/** No cause: it may hold tokens. */
function inWords(error: unknown): string {
  const { message, code, error: answered } = error as { message: string; code?: string; error?: string };
  const details = [code, answered].filter((one) => typeof one === 'string').join(', ');
  return details === '' ? message : `${message} (${details})`;
}

function isUnreachable(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 10; cause = cause.cause, depth++) {
    if (cause instanceof ProviderUnreachable) return true;
  }
  return false;
}

const timeoutMs = 10_000;
/** Some twenty times as much as documents, keys and tokens have. */
const maxBytes = 256 * 1024;

/** There was no response, or no valid one. */
class ProviderUnreachable extends Error {}

type Fetch = typeof globalThis.fetch;

/** To the provider that the settings name, wherever it is: bounded in time and size, and following no redirect. */
function createProviderFetch(): Fetch {
  const send = createGuardedFetch(() => true);
  return async (url, { body, ...init } = {}) => {
    try {
      const response = await send(url, {
        ...init,
        ...(body && { body: String(body) }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await readText(response);
      if (response.status >= 500) throw new Error(`It answered with status ${response.status}.`);
      return new Response(text, { status: response.status, headers: response.headers });
    } catch (error) {
      throw new ProviderUnreachable((error as Error).message, { cause: error });
    }
  };
}

async function readText(response: Response): Promise<string | null> {
  if (!response.body) return null;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new Error('The answer was too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
