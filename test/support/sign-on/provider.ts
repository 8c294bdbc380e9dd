import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

const clientId = 'headcount';
export const clientSecret = 'a-secret-of-the-client-0123456789';

/** A real identity provider that signs in everyone at once. */
export interface TestProvider {
  issuer: string;
  /** Settings of a server that uses it. */
  env: Record<string, string>;
  /** Who comes; null: somebody who refuses. */
  person: string | null;
  /** Addresses that it was asked for. */
  readonly asked: string[];
  /** Lets it lead back to this server. */
  know(url: string): void;
  /** Answers nothing but this from now on; null: as it should. */
  answerInstead: ((req: IncomingMessage, res: ServerResponse) => void) | null;
  stop(): Promise<void>;
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

export async function startProvider(): Promise<TestProvider> {
  let provider: Provider | undefined;
  const server = createServer((req, res) => void answer(req, res));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const test: TestProvider = {
    issuer,
    env: {
      HEADCOUNT_OIDC_ISSUER: issuer,
      HEADCOUNT_OIDC_CLIENT_ID: clientId,
      HEADCOUNT_OIDC_CLIENT_SECRET: clientSecret,
      HEADCOUNT_OIDC_LABEL: 'Example Inc',
    },
    person: null,
    asked: [],
    know: (url) => {
      // The address for browsers.
      const { protocol, port, pathname } = new URL(url);
      const path = `${pathname.replace(/\/$/, '')}/sign-on`;
      provider = makeProvider(issuer, `${protocol}//localhost:${port}${path}`);
    },
    answerInstead: null,
    stop: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = req.url ?? '';
    test.asked.push(path.split('?')[0] as string);
    if (test.answerInstead) test.answerInstead(req, res);
    else if (!provider) res.writeHead(503).end();
    else if (path.startsWith('/interaction/')) await interact(provider, test.person, req, res);
    else await provider.callback()(req, res);
  }
  return test;
}

function makeProvider(issuer: string, redirectUri: string): Provider {
  return new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    jwks: { keys: [privateKey.export({ format: 'jwk' }) as never] },
    cookies: { keys: ['a key of the tests'] },
    // As strict as they get.
    clientAuthMethods: ['client_secret_post', 'client_secret_basic'],
    clientDefaults: { token_endpoint_auth_method: 'client_secret_post' },
    // What it would warn of otherwise.
    ttl: { AccessToken: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  });
}

/** The page that asks who it is, and whether this server may know, without anybody to look at it. */
async function interact(
  provider: Provider,
  person: string | null,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(req, res);
  if (person === null) {
    return provider.interactionFinished(
      req,
      res,
      { error: 'access_denied' },
      { mergeWithLastSubmission: false },
    );
  }
  if (prompt.name === 'login') {
    return provider.interactionFinished(req, res, { login: { accountId: person } });
  }
  const grant = new provider.Grant({
    accountId: session?.accountId ?? person,
    clientId: String(params.client_id),
  });
  grant.addOIDCScope('openid');
  return provider.interactionFinished(req, res, { consent: { grantId: await grant.save() } });
}
