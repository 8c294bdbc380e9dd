import type { AuditAction } from '../../shared/accounts/audit-actions.ts';
import type {
  FactorReply,
  FactorSecretReply,
  RecoveryCodesReply,
} from '../../shared/accounts/second-factor.ts';
import {
  type FactorConfirmation,
  factorConfirmation,
  factorReply,
  factorSecretReply,
  type NewFactor,
  newFactorBody,
  recoveryCodesReply,
} from '../../shared/accounts/second-factor.ts';
import { administrator } from '../../shared/accounts/user.ts';
import { checkCredentials, checkPassword, wrongCode } from '../admin/credentials.ts';
import { accountOf } from '../admin/sign-in/account.ts';
import {
  addressOfSecret,
  findStep,
  hashRecoveryCode,
  makeFactorSecret,
  makeRecoveryCodes,
} from '../admin/sign-in/second-factor.ts';
import { auditing } from '../audit/audit-list.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import { actorOf } from '../http/authorize.ts';
import { type Call, type Route, route } from '../http/route.ts';
import { serverUrl } from '../http/server-url.ts';
import type { AuditEntry } from '../store/admin/audit.ts';

const path = '/v1/admin/second-factor';
const maxBodyBytes = 16 * 1024;

type FactorCall<Body = undefined> = Call<'session', undefined, Body>;

const recoveryCodes = recoveryCodesReply;

/** The second factor of the signed-in user. */
export const factorOperations: readonly Route[] = [
  route({
    name: 'admin.second_factor.read',
    method: 'GET',
    path,
    access: 'session',
    summary: 'Whether signing in takes a second factor',
    answers: { 200: { says: 'Whether it does', json: factorReply } },
    handle: readFactor,
  }),
  route({
    name: 'admin.second_factor.secret',
    method: 'POST',
    path: `${path}/secret`,
    access: 'session',
    summary: 'Make a secret for an app that shows codes',
    description: 'Nothing is stored: the secret holds once it is sent back with a code.',
    answers: {
      201: { says: 'A new secret', json: factorSecretReply },
    },
    handle: makeSecret,
  }),
  route({
    name: 'admin.second_factor.add',
    method: 'POST',
    path,
    access: 'session',
    body: { schema: newFactorBody, maxBytes: maxBodyBytes },
    summary: 'Turn the second factor on',
    description: 'All other sessions of the caller end.',
    answers: { 201: { says: 'It is on; recovery codes for a lost app', json: recoveryCodes } },
    refusals: ['forbidden', 'too_many'],
    handle: addFactor,
  }),
  route({
    name: 'admin.second_factor.recovery_codes',
    method: 'POST',
    path: `${path}/recovery-codes`,
    access: 'session',
    body: { schema: factorConfirmation, maxBytes: maxBodyBytes },
    summary: 'Make new recovery codes',
    answers: { 201: { says: 'The new ones; the earlier ones no longer work', json: recoveryCodes } },
    refusals: ['forbidden', 'too_many'],
    handle: replaceRecoveryCodes,
  }),
  route({
    name: 'admin.second_factor.remove',
    method: 'DELETE',
    path,
    access: 'session',
    body: { schema: factorConfirmation, maxBytes: maxBodyBytes },
    summary: 'Turn the second factor off',
    answers: { 204: { says: 'The password alone signs in' } },
    refusals: ['forbidden', 'too_many'],
    handle: removeFactor,
  }),
];

async function readFactor({ store }: Context, { session: { userId } }: FactorCall): Promise<FactorReply> {
  const factor = await store.factors.findFactor(userId);
  return { isOn: factor !== null, recoveryCodes: factor?.recoveryCodes.length ?? 0 };
}

async function makeSecret(context: Context, { session, req }: FactorCall): Promise<FactorSecretReply> {
  const secret = await makeFactorSecret();
  const address = await addressOfSecret(secret, session.user?.name ?? null, serverUrl(context, req));
  return { secret, address };
}

async function addFactor(
  context: Context,
  { session, body: { password, secret, code }, req }: FactorCall<NewFactor>,
): Promise<RecoveryCodesReply> {
  const { store, secrets, sessions, now } = context;
  const account = await accountOf(store, session);
  const attempt = await checkPassword(context, req, account, { password }, 'forbidden');
  await attempt.forgive();
  // Not counted as a guess: the caller has the secret.
  const lastStep = await findStep(secret, code, now());
  if (lastStep === null) throw wrongCode('forbidden');
  const codes = await makeRecoveryCodes();
  const factor = {
    secret: secrets.encryptFactor(account.userId, secret),
    lastStep,
    recoveryCodes: codes.map(hashRecoveryCode),
  };
  const args = [account.userId, factor, session.hash] as const;
  const noted = notedFor(context, { session, req }, 'factor.added');
  if (!(await store.callAudited('factors', 'addFactor', [...args], noted))) throw alreadyOn();
  await sessions.refresh();
  return { recoveryCodes: codes };
}

async function replaceRecoveryCodes(
  context: Context,
  call: FactorCall<FactorConfirmation>,
): Promise<RecoveryCodesReply> {
  const { userId, proof, forgive } = await confirm(context, call);
  const codes = await makeRecoveryCodes();
  const hashes = codes.map(hashRecoveryCode);
  const noted = notedFor(context, call, 'factor.changed');
  const args = [userId, hashes, proof] as const;
  if (!(await context.store.callAudited('factors', 'replaceRecoveryCodes', [...args], noted)))
    throw wrongCode('forbidden');
  await forgive();
  return { recoveryCodes: codes };
}

async function removeFactor(context: Context, call: FactorCall<FactorConfirmation>): Promise<void> {
  const { userId, proof, forgive } = await confirm(context, call);
  const noted = notedFor(context, call, 'factor.removed');
  if (!(await context.store.callAudited('factors', 'removeFactor', [userId, proof], noted)))
    throw wrongCode('forbidden');
  await forgive();
}

function notedFor(
  context: Context,
  { session, req }: Pick<FactorCall, 'session' | 'req'>,
  action: AuditAction,
): AuditEntry[] {
  const { entries } = auditing(actorOf(context, req), context.now);
  return entries({ action, subject: session.user?.name ?? administrator });
}

/** Password and code of the caller, who has both. @throws ApiError */
async function confirm(context: Context, { session, body, req }: FactorCall<FactorConfirmation>) {
  const account = await accountOf(context.store, session);
  const { attempt, proof } = await checkCredentials(context, req, account, body, 'forbidden');
  if (proof === null) {
    await attempt.forgive();
    throw new ApiError('invalid', 'The second factor is off: turn it on first.');
  }
  return { userId: account.userId, proof, forgive: attempt.forgive };
}

function alreadyOn(): ApiError {
  return new ApiError(
    'invalid',
    'The second factor is on: turn it off first, to set it up with another app.',
  );
}
