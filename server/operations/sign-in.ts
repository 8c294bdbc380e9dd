import {
  newPassword,
  type PasswordChange,
  passwordBody,
  type SessionReply,
  type Setup,
  type SignIn,
  sessionReply,
  setupBody,
  signInBody,
} from '../../shared/accounts/admin.ts';
import { administrator } from '../../shared/accounts/user.ts';
import { checkCredentials, checkPassword, wrongCode, wrongPassword } from '../admin/credentials.ts';
import { accountOf, actorOfLink, findAccount, isAdministrator } from '../admin/sign-in/account.ts';
import { Passwords } from '../admin/sign-in/password.ts';
import { hashToken, sessionIdleMs } from '../admin/sign-in/sessions.ts';
import { offerSetupLink } from '../admin/sign-in/setup-link.ts';
import { auditing, commandLine } from '../audit/audit-list.ts';
import { type Terminal, UsageError } from '../commands/terminal/command.ts';
import { withNewStore } from '../commands/terminal/with-store.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import { actorOf, roleOf } from '../http/authorize.ts';
import { addressOf } from '../http/client-address.ts';
import { clearSessionCookie, readSessionCookie, setSessionCookie } from '../http/cookie.ts';
import { type Call, type Route, route } from '../http/route.ts';
import { programForStrangers } from '../process/program.ts';
import type { Session } from '../store/admin/factors.ts';
import { commandOf } from './command.ts';

const maxBodyBytes = 16 * 1024;

type LinkCall = Call<'own_page', undefined, Setup>;

/** Who may use the dashboard. */
export const signInOperations: readonly Route[] = [
  route({
    name: 'admin.session.read',
    method: 'GET',
    path: '/v1/admin/session',
    access: 'anyone',
    summary: 'Whether somebody is signed in',
    answers: {
      200: {
        says: 'The session, or that there is none',
        json: sessionReply,
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
    description:
      'A right password without the code that the account asks for is a 401 with a detail of the path `code`.',
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
    answers: { 204: { says: 'All sessions of the caller ended' } },
    handle: signOutEverywhere,
  }),
  route({
    name: 'admin.setup',
    method: 'POST',
    path: '/v1/admin/setup',
    access: 'own_page',
    body: { schema: setupBody, maxBytes: maxBodyBytes },
    summary: 'Set the password by the one-time link',
    answers: { 204: { says: 'Set, and signed in where there is no second factor' } },
    handle: setUp,
  }),
  route({
    name: 'admin.invitation',
    method: 'POST',
    path: '/v1/admin/invitation',
    access: 'own_page',
    body: { schema: setupBody, maxBytes: maxBodyBytes },
    summary: 'Set the password of a user by the link',
    answers: { 204: { says: 'Set, and signed in where there is no second factor' } },
    handle: accept,
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
  const session = sessions.find(token);
  // The cookie lasts as long as the session, which each use makes longer.
  if (session && token !== undefined) {
    setSessionCookie(config, res, token, sessionIdleMs);
    loginLimiter.know(addressOf(context, req)).catch(() => undefined);
    context.setupNotice.person(req);
  }
  const { hasUsers } = sessions;
  res.set('Cache-Control', 'no-store');
  return {
    state: session ? 'signed-in' : registry.hasPassword || hasUsers ? 'signed-out' : 'setup',
    hasUsers,
    name: session?.user?.name ?? null,
    role: session ? roleOf(session.user, null) : null,
    signOn: context.signOn?.label ?? null,
  };
}

async function signIn(
  context: Context,
  { body, req, res }: Call<'own_page', undefined, SignIn>,
): Promise<void> {
  const { config, store, sessions } = context;
  const account = await findAccount(store, body.name);
  if (account.password === null && isAdministrator(body.name)) {
    throw new ApiError('invalid', 'No password has been set yet: open the link that the server printed.');
  }
  const { attempt, proof } = await checkCredentials(context, req, account, body, 'unauthorized');
  const { token, session } = sessions.make();
  if (!(await account.startSession(session, account.password ?? '', proof))) {
    throw proof === null ? wrongPassword('unauthorized', body.name) : wrongCode('unauthorized');
  }
  await attempt.forgive();
  context.setupNotice.person(req);
  await sessions.forgetIdle();
  await sessions.refresh();
  setSessionCookie(config, res, token, sessionIdleMs);
}

/** By a link that is good once: the administrator's, or one of a user. */
interface PasswordLink {
  isOpen(hash: string, now: number): Promise<boolean>;
  redeem(hash: string, password: string, session: Session): Promise<boolean>;
  /** How to get another one. */
  remedy: string;
}

function setUp(context: Context, call: LinkCall): Promise<void> {
  const { store, now } = context;
  return redeem(context, call, {
    isOpen: store.admin.isSetupOpen,
    redeem: (...args) => {
      const actor = { kind: 'administrator', id: null, name: null } as const;
      const about = { action: 'password.changed', subject: administrator } as const;
      const noted = auditing(actor, now).entries({ ...about, changes: ['by the one-time link'] });
      return store.callAudited('admin', 'redeemSetup', args, noted);
    },
    remedy: `"${programForStrangers} admin password" makes a new one, and so does a start of a server without a password`,
  });
}

function accept(context: Context, call: LinkCall): Promise<void> {
  const { store, now } = context;
  return redeem(context, call, {
    isOpen: async (hash, at) => (await store.users.findLink(hash, at)) !== null,
    redeem: async (...args) => {
      const actor = await actorOfLink(store, args[0], now());
      const about = { action: 'password.changed', subject: actor.name } as const;
      const noted = auditing(actor, now).entries({ ...about, changes: ['by the link'] });
      return store.callAudited('users', 'redeemLink', args, noted);
    },
    remedy: 'ask an owner for a new one',
  });
}

async function redeem(
  { config, passwords, sessions, registry, setupNotice, now }: Context,
  { body: { token: ofLink, password }, req, res }: LinkCall,
  link: PasswordLink,
): Promise<void> {
  // Before the hashing, which costs time and is only for holders of the link.
  if (!(await link.isOpen(hashToken(ofLink), now()))) throw closedLink(link);
  const hashed = await passwords.hash(password);
  const { token, session } = sessions.make();
  if (!(await link.redeem(hashToken(ofLink), hashed, session))) throw closedLink(link);
  setupNotice.person(req);
  await Promise.all([registry.refresh(), sessions.refresh()]);
  // Users with a second factor sign in with it next.
  if (sessions.find(token)) setSessionCookie(config, res, token, sessionIdleMs);
}

async function changePassword(
  context: Context,
  { session, body: { current, next }, req }: Call<'session', undefined, PasswordChange>,
): Promise<void> {
  const { store, passwords, sessions, now } = context;
  const account = await accountOf(store, session);
  const attempt = await checkPassword(context, req, account, { password: current }, 'forbidden');
  await attempt.forgive();
  const hashed = await passwords.hash(next);
  const about = { action: 'password.changed', subject: session.user?.name ?? administrator } as const;
  const noted = auditing(actorOf(context, req), now).entries(about);
  if (!(await account.changePassword(account.password ?? '', hashed, session.hash, noted))) {
    throw wrongPassword('forbidden');
  }
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
  { session, res }: Call<'session'>,
): Promise<void> {
  const account = await accountOf(store, session);
  await account.endSessions();
  await sessions.refresh();
  clearSessionCookie(config, res);
}

function closedLink({ remedy }: PasswordLink): ApiError {
  return new ApiError('forbidden', `This link was used or is too old: ${remedy}.`);
}

/** A password, in place of a link that sets one. */
async function setPassword(terminal: Terminal): Promise<void> {
  // Editors and echo end the line.
  const { success, data, error } = newPassword.safeParse((await terminal.readInput()).replace(/\r?\n$/, ''));
  if (!success) throw new UsageError(`The password ${error.issues[0]?.message}.`);
  const hashed = await new Passwords().hash(data);
  const { entries } = auditing(commandLine, terminal.now);
  const changed = entries({ action: 'password.changed', subject: administrator });
  await withNewStore(terminal, ({ callAudited }) => callAudited('admin', 'resetPassword', [hashed], changed));
}

export const adminCommand = commandOf(
  {
    name: 'admin',
    about: `Prints a link that sets the password of the dashboard. It works once and expires in 24 hours. Setting a
password signs out everybody who signed in with the old one, but no users ("headcount user").
`,
    column: 13,
  },
  [
    {
      name: 'admin password',
      operands: [],
      options: {
        stdin: {
          type: 'boolean',
          says: 'read the new password from standard input instead of printing a link',
        },
      },
      async run({ values: { stdin, json }, baseUrl, now }, terminal) {
        if (stdin) {
          await setPassword(terminal);
          terminal.print(
            json
              ? `${JSON.stringify({ changed: true })}\n`
              : 'The password of the dashboard was changed. Everybody who signed in with the old one is signed out.\n',
          );
          return;
        }
        const url = await withNewStore(terminal, (store) => offerSetupLink(store, { baseUrl, now }));
        terminal.print(
          json
            ? `${JSON.stringify({ url })}\n`
            : `Set the password of the dashboard with this link. It works once and expires in 24 hours. The current password, if any, works until then:\n\n  ${url}\n`,
        );
      },
    },
  ],
);
