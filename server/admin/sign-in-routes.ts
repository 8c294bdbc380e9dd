import type { Request } from 'express';
import {
  type PasswordChange,
  passwordBody,
  type SessionReply,
  type Setup,
  type SignIn,
  setupBody,
  signInBody,
} from '../../shared/admin.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import { clearSessionCookie, readSessionCookie, setSessionCookie } from '../http/cookie.ts';
import { type Call, type Route, route } from '../http/route.ts';
import { clientAddress } from '../net/address.ts';
import { programForStrangers } from '../program.ts';
import { hashToken, sessionIdleMs } from './sessions.ts';

const maxBodyBytes = 16 * 1024;

/** Who may use the dashboard. */
export const signInRoutes: readonly Route[] = [
  route({
    name: 'admin.session.read',
    method: 'GET',
    path: '/v1/admin/session',
    access: 'anyone',
    summary: 'Tell whether somebody is signed in',
    answers: {
      200: {
        says: 'Whether somebody is',
        json: async () => (await import('../../shared/replies/admin.ts')).sessionReply,
      },
    },
    handle: readSession,
  }),
  route({
    name: 'admin.session.start',
    method: 'POST',
    path: '/v1/admin/session',
    access: 'own_page',
    body: { schema: signInBody, maxBytes: maxBodyBytes },
    summary: 'Sign in',
    answers: { 204: { says: 'Signed in, by a cookie' } },
    refusals: ['unauthorized', 'too_many'],
    handle: signIn,
  }),
  route({
    name: 'admin.session.end',
    method: 'DELETE',
    path: '/v1/admin/session',
    access: 'own_page',
    summary: 'Sign out',
    answers: { 204: { says: 'Signed out' } },
    handle: signOut,
  }),
  route({
    name: 'admin.sessions.end',
    method: 'DELETE',
    path: '/v1/admin/sessions',
    access: 'session',
    summary: 'Sign out everywhere',
    answers: { 204: { says: 'Nobody is signed in any more' } },
    handle: signOutEverywhere,
  }),
  route({
    name: 'admin.setup',
    method: 'POST',
    path: '/v1/admin/setup',
    access: 'own_page',
    body: { schema: setupBody, maxBytes: maxBodyBytes },
    summary: 'Set the password by the one-time link',
    answers: { 204: { says: 'Set, and signed in' } },
    handle: setUp,
  }),
  route({
    name: 'admin.password',
    method: 'POST',
    path: '/v1/admin/password',
    access: 'session',
    body: { schema: passwordBody, maxBytes: maxBodyBytes },
    summary: 'Change the password',
    answers: { 204: { says: 'Changed' } },
    refusals: ['too_many'],
    handle: changePassword,
  }),
];

function readSession(context: Context, { req, res }: Call<'anyone'>): SessionReply {
  const { config, registry, sessions, loginLimiter } = context;
  const token = readSessionCookie(config, req);
  const isSignedIn = token !== undefined && sessions.find(token) !== undefined;
  // The cookie lasts as long as the session, which each use makes longer.
  if (isSignedIn) {
    setSessionCookie(config, res, token, sessionIdleMs);
    loginLimiter.know(addressOf(context, req)).catch(() => undefined);
    context.setupNotice.person(req);
  }
  const state = isSignedIn ? 'signed-in' : registry.hasPassword ? 'signed-out' : 'setup';
  res.set('Cache-Control', 'no-store');
  return { state };
}

async function signIn(
  context: Context,
  { body: { password }, req, res }: Call<'own_page', undefined, SignIn>,
): Promise<void> {
  const { config, store, passwords, loginLimiter, sessions } = context;
  const stored = await store.admin.readPassword();
  if (stored === null) {
    throw new ApiError('invalid', 'No password has been set yet: open the link that the server printed.');
  }
  const forgive = await loginLimiter.take(addressOf(context, req));
  const { token, session } = sessions.make();
  const isRight = await passwords.matches(password, stored);
  if (!isRight || !(await store.admin.startSession(session, stored))) throw wrongPassword('unauthorized');
  await forgive();
  context.setupNotice.person(req);
  await sessions.forgetIdle();
  await sessions.refresh();
  setSessionCookie(config, res, token, sessionIdleMs);
}

async function setUp(
  { config, store, passwords, sessions, registry, setupNotice, now }: Context,
  { body: { token: setup, password }, req, res }: Call<'own_page', undefined, Setup>,
): Promise<void> {
  // Before the work of hashing, which is for those only who have the link.
  if (!(await store.admin.isSetupOpen(hashToken(setup), now()))) throw closedSetup();
  const hashed = await passwords.hash(password);
  const { token, session } = sessions.make();
  if (!(await store.admin.redeemSetup(hashToken(setup), hashed, session))) throw closedSetup();
  setupNotice.person(req);
  await Promise.all([registry.refresh(), sessions.refresh()]);
  setSessionCookie(config, res, token, sessionIdleMs);
}

async function changePassword(
  context: Context,
  { session, body: { current, next }, req }: Call<'session', undefined, PasswordChange>,
): Promise<void> {
  const { store, passwords, loginLimiter, sessions } = context;
  const forgive = await loginLimiter.take(addressOf(context, req));
  const stored = await store.admin.readPassword();
  if (stored === null || !(await passwords.matches(current, stored))) throw wrongPassword('forbidden');
  await forgive();
  const hashed = await passwords.hash(next);
  if (!(await store.admin.changePassword(stored, hashed, session.hash))) throw wrongPassword('forbidden');
  await sessions.refresh();
}

async function signOut({ config, store, sessions }: Context, { req, res }: Call<'own_page'>): Promise<void> {
  const session = sessions.find(readSessionCookie(config, req));
  if (session) await store.admin.endSession(session.hash);
  await sessions.refresh();
  clearSessionCookie(config, res);
}

async function signOutEverywhere(
  { config, store, sessions }: Context,
  { res }: Call<'session'>,
): Promise<void> {
  await store.admin.endSessions();
  await sessions.refresh();
  clearSessionCookie(config, res);
}

function addressOf({ config }: Context, req: Request): string {
  return clientAddress(req.socket.remoteAddress ?? '', req.get('x-forwarded-for'), config.trustedProxies);
}

/** 401 where nobody is signed in; who is signed in stays so. */
function wrongPassword(code: 'unauthorized' | 'forbidden'): ApiError {
  const headers: Record<string, string> = code === 'unauthorized' ? { 'WWW-Authenticate': 'Session' } : {};
  return new ApiError(code, 'The password is wrong.', { headers });
}

function closedSetup(): ApiError {
  return new ApiError(
    'forbidden',
    `This link was used or is too old: "${programForStrangers} admin password" makes a new one, and so does a start of a server without a password.`,
  );
}
