import { type Request, type Response, Router } from 'express';
import { passwordBody, type SessionReply, setupBody, signInBody } from '../../shared/admin.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import { requireSession } from '../http/authorize.ts';
import { clearSessionCookie, readSessionCookie, setSessionCookie } from '../http/cookie.ts';
import { jsonBody } from '../http/json-body.ts';
import { onlyMethods } from '../http/methods.ts';
import { parse } from '../http/parse.ts';
import { requireSameOrigin } from '../http/same-origin.ts';
import { clientAddress } from '../net/address.ts';
import { hashToken, sessionIdleMs } from './sessions.ts';

const maxBodyBytes = 16 * 1024;

/** `/v1/admin/session`, `sessions`, `setup` and `password`: who may use the dashboard. */
export function signInRoutes(context: Context): Router {
  const router = Router();
  router
    .route('/session')
    .get((req, res) => readSession(context, req, res))
    .post(...jsonBody(maxBodyBytes), (req, res) => signIn(context, req, res))
    .delete((req, res) => signOut(context, req, res))
    .all(onlyMethods('GET', 'HEAD', 'POST', 'DELETE'));
  router
    .route('/sessions')
    .delete((req, res) => signOutEverywhere(context, req, res))
    .all(onlyMethods('DELETE'));
  router
    .route('/setup')
    .post(...jsonBody(maxBodyBytes), (req, res) => setUp(context, req, res))
    .all(onlyMethods('POST'));
  router
    .route('/password')
    .post(...jsonBody(maxBodyBytes), (req, res) => changePassword(context, req, res))
    .all(onlyMethods('POST'));
  return router;
}

function readSession({ config, registry, sessions }: Context, req: Request, res: Response): void {
  const token = readSessionCookie(config, req);
  const isSignedIn = token !== undefined && sessions.find(token) !== undefined;
  // The cookie lasts as long as the session, which each use makes longer.
  if (isSignedIn) setSessionCookie(config, res, token, sessionIdleMs);
  const state = isSignedIn ? 'signed-in' : registry.hasPassword ? 'signed-out' : 'setup';
  res.json({ state } satisfies SessionReply);
}

async function signIn(context: Context, req: Request, res: Response): Promise<void> {
  const { config, store, passwords, loginLimiter, sessions, registry } = context;
  requireSameOrigin(config, req);
  const { password } = parse(signInBody, req.body, 'The body');
  const stored = await store.admin.readPassword();
  if (stored === null) {
    throw new ApiError('invalid', 'No password has been set yet: open the link that the server printed.');
  }
  const forgive = loginLimiter.take(addressOf(context, req));
  const { token, session } = sessions.make();
  const isRight = await passwords.matches(password, stored);
  if (!isRight || !(await store.admin.startSession(session, stored))) throw wrongPassword('unauthorized');
  forgive();
  await sessions.forgetIdle();
  await registry.refresh();
  setSessionCookie(config, res, token, sessionIdleMs);
  res.status(204).end();
}

async function setUp(context: Context, req: Request, res: Response): Promise<void> {
  const { config, store, passwords, sessions, registry, now } = context;
  requireSameOrigin(config, req);
  const { token: setup, password } = parse(setupBody, req.body, 'The body');
  // Before the work of hashing, which is for those only who have the link.
  if (!(await store.admin.isSetupOpen(hashToken(setup), now()))) throw closedSetup();
  const hashed = await passwords.hash(password);
  const { token, session } = sessions.make();
  if (!(await store.admin.redeemSetup(hashToken(setup), hashed, session))) throw closedSetup();
  await registry.refresh();
  setSessionCookie(config, res, token, sessionIdleMs);
  res.status(204).end();
}

async function changePassword(context: Context, req: Request, res: Response): Promise<void> {
  const { store, passwords, loginLimiter, registry } = context;
  const session = requireSession(context, req);
  const { current, next } = parse(passwordBody, req.body, 'The body');
  const forgive = loginLimiter.take(addressOf(context, req));
  const stored = await store.admin.readPassword();
  if (stored === null || !(await passwords.matches(current, stored))) throw wrongPassword('forbidden');
  forgive();
  const hashed = await passwords.hash(next);
  if (!(await store.admin.changePassword(stored, hashed, session.hash))) throw wrongPassword('forbidden');
  await registry.refresh();
  res.status(204).end();
}

async function signOut(
  { config, store, registry, sessions }: Context,
  req: Request,
  res: Response,
): Promise<void> {
  requireSameOrigin(config, req);
  const session = sessions.find(readSessionCookie(config, req));
  if (session) await store.admin.endSession(session.hash);
  await registry.refresh();
  clearSessionCookie(config, res);
  res.status(204).end();
}

async function signOutEverywhere(context: Context, req: Request, res: Response): Promise<void> {
  requireSession(context, req);
  await context.store.admin.endSessions();
  await context.registry.refresh();
  clearSessionCookie(context.config, res);
  res.status(204).end();
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
    'This link was used or is too old: "headcount admin password" makes a new one, and so does a start of a server without a password.',
  );
}
