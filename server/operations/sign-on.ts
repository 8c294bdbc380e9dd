import type { Request, Response } from 'express';
import { z } from 'zod';
import type { SignOnAccountReply, SignOnReply, SignOnReturnReply } from '../../shared/accounts/sign-on.ts';
import {
  type SignOnConfirmation,
  type SignOnReturn,
  type SignOnStart,
  signOnAccountReply,
  signOnBody,
  signOnConfirmation,
  signOnReply,
  signOnReturnBody,
  signOnReturnReply,
} from '../../shared/accounts/sign-on.ts';
import { checkCredentials, wrongCode } from '../admin/credentials.ts';
import { accountOf, actorOfLink } from '../admin/sign-in/account.ts';
import { hashToken, type SignedIn, sessionIdleMs } from '../admin/sign-in/sessions.ts';
import type { SignOnProvider } from '../admin/sign-on/provider.ts';
import { auditing } from '../audit/audit-list.ts';
import type { Config } from '../config/config.ts';
import { addressOf } from '../config/own-address.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import { actorOf } from '../http/authorize.ts';
import { clearCookie, readCookie, readSessionCookie, setCookie, setSessionCookie } from '../http/cookie.ts';
import { type Call, type Route, route } from '../http/route.ts';
import { serverUrl } from '../http/server-url.ts';
import type { Secrets } from '../projects/secrets.ts';
import type { ConnectOutcome, SignOn } from '../store/admin/sign-ons.ts';
import type { User } from '../store/admin/users.ts';

const path = '/v1/admin/sign-on';
/** The page of the dashboard that the provider leads back to. */
const returnPage = '/sign-on';
const maxBodyBytes = 16 * 1024;

type PageCall<Body> = Call<'own_page', undefined, Body>;
type SessionCall<Body = undefined> = Call<'session', undefined, Body>;

const address = signOnReply;

/** Signing in by an account at a provider. */
export const signOnOperations: readonly Route[] = [
  route({
    name: 'admin.sign_on.start',
    method: 'POST',
    path,
    access: 'own_page',
    body: { schema: signOnBody, maxBytes: maxBodyBytes },
    summary: 'Start signing in with an account at the provider',
    answers: { 201: { says: 'Where to send the browser', json: address } },
    refusals: ['overloaded'],
    handle: start,
  }),
  route({
    name: 'admin.sign_on.return',
    method: 'POST',
    path: `${path}/return`,
    access: 'own_page',
    body: { schema: signOnReturnBody, maxBytes: maxBodyBytes },
    summary: 'Finish signing in or connecting after the return from the provider',
    answers: {
      200: {
        says: 'Signed in, by a cookie, or connected',
        json: signOnReturnReply,
      },
    },
    refusals: ['overloaded'],
    handle: comeBack,
  }),
  route({
    name: 'admin.sign_on.account',
    method: 'GET',
    path: `${path}/account`,
    access: 'session',
    summary: 'Whether the user has connected an account at the provider',
    answers: { 200: { says: 'Whether an account is connected', json: signOnAccountReply } },
    handle: readAccount,
  }),
  route({
    name: 'admin.sign_on.connect',
    method: 'POST',
    path: `${path}/account`,
    access: 'session',
    body: { schema: signOnConfirmation, maxBytes: maxBodyBytes },
    summary: 'Start connecting an account at the provider',
    answers: { 201: { says: 'Where to send the browser', json: address } },
    refusals: ['forbidden', 'too_many', 'overloaded'],
    handle: connect,
  }),
  route({
    name: 'admin.sign_on.disconnect',
    method: 'DELETE',
    path: `${path}/account`,
    access: 'session',
    body: { schema: signOnConfirmation, maxBytes: maxBodyBytes },
    summary: 'Disconnect the account at the provider',
    answers: { 204: { says: 'It no longer signs in' } },
    refusals: ['forbidden', 'too_many', 'not_found'],
    handle: disconnect,
  }),
];

async function start(
  context: Context,
  { body: { token, next }, req, res }: PageCall<SignOnStart>,
): Promise<SignOnReply> {
  const provider = providerOf(context);
  if (token !== undefined) await requireOpenLink(context, token, provider);
  return send(
    context,
    { req, res },
    token === undefined ? { kind: 'sign-in', next: next ?? null } : { kind: 'invitation', token },
  );
}

async function connect(context: Context, call: SessionCall<SignOnConfirmation>): Promise<SignOnReply> {
  const { id: userId } = await confirm(context, call);
  return send(context, call, { kind: 'connect', userId });
}

async function disconnect(context: Context, call: SessionCall<SignOnConfirmation>): Promise<void> {
  const { issuer } = providerOf(context);
  const { id, name } = await confirm(context, call);
  const { entries } = auditing(actorOf(context, call.req), context.now);
  const noted = entries({ action: 'sign_on.disconnected', subject: name });
  if (await context.store.callAudited('signOns', 'disconnectSignOn', [id, issuer], noted)) return;
  throw new ApiError('not_found', 'No account is connected: it may have been disconnected.');
}

async function readAccount(
  { store, signOn }: Context,
  { session }: SessionCall,
): Promise<SignOnAccountReply> {
  const { user } = session;
  return {
    isConnected: user !== null && signOn !== null && (await store.signOns.hasSignOn(user.id, signOn.issuer)),
  };
}

async function comeBack(
  context: Context,
  { body: { query }, req, res }: PageCall<SignOnReturn>,
): Promise<SignOnReturnReply> {
  const provider = providerOf(context);
  const authState = takeAuthState(context, req, res);
  if (!authState) throw strayed(provider);
  const returned = new URL(addressOf(serverUrl(context, req), returnPage));
  returned.search = query;
  const signOn = await provider.finish(returned, authState.checks);
  return run(context, { req, res }, authState.what, signOn);
}

type Exchange = Pick<PageCall<unknown>, 'req' | 'res'>;

async function send(context: Context, { req, res }: Exchange, what: AuthState['what']): Promise<SignOnReply> {
  const { address, checks } = await providerOf(context).begin(addressOf(serverUrl(context, req), returnPage));
  rememberAuthState(context, res, { checks, what });
  return { address };
}

/** Does what the user went to the provider for. @throws ApiError `forbidden` */
async function run(
  context: Context,
  exchange: Exchange,
  what: AuthState['what'],
  signOn: SignOn,
): Promise<SignOnReturnReply> {
  switch (what.kind) {
    case 'sign-in':
      await signIn(context, exchange, signOn);
      return { next: what.next };
    case 'invitation':
      await accept(context, exchange, what.token, signOn);
      return { next: null };
    case 'connect': {
      const { id, name } = requireSame(context, exchange, what.userId);
      const { entries } = auditing({ kind: 'user', id, name }, context.now);
      const noted = entries({ action: 'sign_on.connected', subject: name });
      const outcome = await context.store.callAudited('signOns', 'connectSignOn', [id, signOn], noted);
      requireConnected(context, outcome);
      return { next: '/installation' };
    }
    default:
      return what satisfies never;
  }
}

async function signIn(context: Context, { req, res }: Exchange, signOn: SignOn): Promise<void> {
  const { config, store, sessions, setupNotice } = context;
  const { token, session } = sessions.make();
  if (!(await store.signOns.startSessionBySignOn(signOn, session))) {
    const { label } = providerOf(context);
    throw new ApiError(
      'forbidden',
      `Nobody here signs in with this account of ${label}: sign in with your password and connect it on the page Installation, or ask an owner for a link.`,
    );
  }
  setupNotice.person(req);
  await sessions.forgetIdle();
  await sessions.refresh();
  setSessionCookie(config, res, token, sessionIdleMs);
}

async function accept(
  context: Context,
  { req, res }: Exchange,
  ofLink: string,
  signOn: SignOn,
): Promise<void> {
  const { config, store, sessions, setupNotice, now } = context;
  await requireOpenLink(context, ofLink, providerOf(context));
  const { token, session } = sessions.make();
  const hash = hashToken(ofLink);
  const actor = await actorOfLink(store, hash, now());
  const about = { action: 'sign_on.connected', subject: actor.name } as const;
  const noted = auditing(actor, now).entries({ ...about, changes: ['by the link'] });
  const args = [hash, signOn, session] as const;
  requireConnected(context, await store.callAudited('signOns', 'redeemLinkBySignOn', [...args], noted));
  setupNotice.person(req);
  await sessions.refresh();
  setSessionCookie(config, res, token, sessionIdleMs);
}

/** Somebody else may have signed in meanwhile. @throws ApiError `forbidden` */
function requireSame(context: Context, { req }: Exchange, userId: string): User {
  const session = context.sessions.find(readSessionCookie(context.config, req));
  if (session?.user?.id !== userId) throw strayed(providerOf(context));
  return session.user;
}

/** A link alone gets around no second factor. @throws ApiError `forbidden` */
async function requireOpenLink(
  { store, now }: Context,
  token: string,
  { label }: SignOnProvider,
): Promise<void> {
  const userId = await store.users.findLink(hashToken(token), now());
  if (userId === null) throw closedLink();
  if ((await store.factors.findFactor(userId)) === null) return;
  throw new ApiError(
    'forbidden',
    `This user has a second factor: set the password by this link, sign in with both, and connect ${label} on the page Installation.`,
  );
}

/** @throws ApiError `forbidden` */
function requireConnected(context: Context, outcome: ConnectOutcome): void {
  if (outcome === 'connected') return;
  if (outcome === 'closed') throw closedLink();
  const { label } = providerOf(context);
  throw new ApiError(
    'forbidden',
    `Another user signs in with this account of ${label}: sign out there, and come back with your own.`,
  );
}

/** Password, and code where there is one, of a user. @throws ApiError */
async function confirm(
  context: Context,
  { session, body, req }: SessionCall<SignOnConfirmation>,
): Promise<User> {
  const user = userOf(session);
  const account = await accountOf(context.store, session);
  const { attempt, proof } = await checkCredentials(context, req, account, body, 'forbidden');
  if (proof && !(await context.store.factors.spendProof(user.id, proof))) throw wrongCode('forbidden');
  await attempt.forgive();
  return user;
}

function userOf({ user }: SignedIn) {
  if (user) return user;
  throw new ApiError(
    'invalid',
    'The administrator signs in with the password alone: connect an account as a user.',
  );
}

function providerOf({ signOn }: Context): SignOnProvider {
  if (signOn) return signOn;
  throw new ApiError('invalid', 'There is no provider to sign in with: HEADCOUNT_OIDC_ISSUER names one.');
}

function strayed({ label }: SignOnProvider): ApiError {
  return new ApiError(
    'forbidden',
    `The sign-in began in another browser, or more than ten minutes ago: choose "Continue with ${label}" again.`,
  );
}

function closedLink(): ApiError {
  return new ApiError('forbidden', 'This link was used or is too old: ask an owner for a new one.');
}

const cookie = 'sign_on';
const goodForMs = 10 * 60_000;

const authState = z.object({
  checks: z.object({ state: z.string(), nonce: z.string(), verifier: z.string() }),
  until: z.number(),
  /** What to do after the return. */
  what: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('sign-in'), next: z.string().nullable() }),
    z.object({ kind: z.literal('invitation'), token: z.string() }),
    z.object({ kind: z.literal('connect'), userId: z.string() }),
  ]),
});

/** Why a user was sent to the provider. Their browser keeps it, encrypted, as they may come back to any node. */
export type AuthState = z.infer<typeof authState>;

interface Needed {
  config: Config;
  secrets: Secrets;
  now: () => number;
}

export function rememberAuthState(
  { config, secrets, now }: Needed,
  res: Response,
  given: Omit<AuthState, 'until'>,
): void {
  const text = JSON.stringify({ ...given, until: now() + goodForMs } satisfies AuthState);
  const value = Buffer.from(secrets.encryptAuthState(text)).toString('base64url');
  setCookie(config, res, { name: cookie, value, maxAgeMs: goodForMs });
}

/** Once. Undefined: none was begun in this browser, or too long ago. */
export function takeAuthState(
  { config, secrets, now }: Needed,
  req: Request,
  res: Response,
): AuthState | undefined {
  const value = readCookie(config, req, cookie);
  if (value === undefined) return undefined;
  clearCookie(config, res, cookie);
  try {
    const text = secrets.readAuthState(Buffer.from(value, 'base64url'));
    const parsed = authState.parse(JSON.parse(text));
    return parsed.until > now() ? parsed : undefined;
  } catch {
    // Encrypted with another key, or forged.
    return undefined;
  }
}
