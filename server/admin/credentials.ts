import type { Request } from 'express';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import { addressOf } from '../http/client-address.ts';
import { SecretError } from '../projects/key-file.ts';
import type { FactorProof, StoredFactor } from '../store/admin/factors.ts';
import { type Account, isAdministrator } from './sign-in/account.ts';
import type { Attempt } from './sign-in/login-limiter.ts';
import { findStep, isRecoveryCode, proofOfRecovery } from './sign-in/second-factor.ts';

/** 401 where nobody is signed in; else 403, so that the session stays. */
type Refusing = 'unauthorized' | 'forbidden';

/** Credentials as they were sent. */
interface Credentials {
  /** As typed; left out: the administrator's, or that of the signed-in user. */
  name?: string | undefined;
  password: string;
  /** Of the second factor. */
  code?: string | undefined;
}

/** The result for correct credentials. */
interface Checked {
  attempt: Attempt;
  /** Null: the account asks for no second factor. */
  proof: FactorProof | null;
}

/** @throws ApiError `too_many`, or as `refusing` says */
export async function checkPassword(
  context: Context,
  req: Request,
  account: Account,
  { name, password }: Credentials,
  refusing: Refusing,
): Promise<Attempt> {
  if (account.password === null && refusing === 'forbidden') throw noPassword();
  const attempt = await context.loginLimiter.take(account.userId, addressOf(context, req));
  const isRight = await context.passwords.matches(password, account.password);
  if (!isRight) throw wrongPassword(refusing, name);
  return attempt;
}

/**
 * Both factors, where the account has two. A wrong code counts as a wrong guess, also of its account; a missing one does
 * not.
 *
 * @throws ApiError `too_many`, or as `refusing` says; a detail with the path `code` says that the code is wrong
 */
export async function checkCredentials(
  context: Context,
  req: Request,
  account: Account,
  given: Credentials,
  refusing: Refusing,
): Promise<Checked> {
  const attempt = await checkPassword(context, req, account, given, refusing);
  const factor = await context.store.factors.findFactor(account.userId);
  if (factor === null) return { attempt, proof: null };
  const code = given.code?.trim() ?? '';
  if (code === '') {
    await attempt.takeBack();
    throw codeRefusal(refusing, 'Type the code that your app shows, too.', 'is missing');
  }
  const ofCode = await takeCode(context, req, account, attempt);
  const proof = await prove(context, account, factor, { code, refusing });
  if (proof === null) throw wrongCode(refusing);
  return { attempt: ofCode, proof };
}

/** @param ofPassword the attempt with the right password, forgiven together with the code @throws ApiError `too_many` */
async function takeCode(
  context: Context,
  req: Request,
  { userId }: Account,
  ofPassword: Attempt,
): Promise<Attempt> {
  try {
    const ofCode = await context.loginLimiter.takeCode(userId, addressOf(context, req));
    const inTurn = async (end: keyof Attempt) => {
      await ofCode[end]();
      await ofPassword[end]();
    };
    return { forgive: () => inTurn('forgive'), takeBack: () => inTurn('takeBack') };
  } catch (error) {
    await ofPassword.takeBack();
    throw error;
  }
}

/** What the code proves; null: nothing. @throws ApiError where the server cannot check it */
async function prove(
  { secrets, now, log }: Context,
  { userId }: Account,
  factor: StoredFactor,
  { code, refusing }: { code: string; refusing: Refusing },
): Promise<FactorProof | null> {
  if (isRecoveryCode(code)) return proofOfRecovery(code);
  try {
    const step = await findStep(secrets.readFactor(userId, factor.secret), code, now());
    return step === null ? null : { step };
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    log.error(error.message);
    const message =
      'The server cannot check codes of apps, as its secret key has changed. Type a recovery code.';
    throw codeRefusal(refusing, message, 'cannot be checked');
  }
}

export function wrongCode(refusing: Refusing): ApiError {
  const message = 'Wrong or already used code. Wait for the next one, and check the clock of the device.';
  return codeRefusal(refusing, message, 'is wrong or already used: wait for the next one');
}

function codeRefusal(refusing: Refusing, message: string, fault: string): ApiError {
  return new ApiError(refusing, message, {
    headers: challengeOf(refusing),
    details: [{ message: fault, path: 'code' }],
  });
}

/** The same error for a wrong name and a wrong password, as it must not reveal which users exist. */
export function wrongPassword(refusing: Refusing, name?: string): ApiError {
  const what = isAdministrator(name) ? 'password' : 'name or the password';
  return new ApiError(refusing, `The ${what} is wrong.`, { headers: challengeOf(refusing) });
}

/** For users who have none and sign in by single sign-on. */
function noPassword(): ApiError {
  return new ApiError('forbidden', 'You have no password: ask an owner for a link, which sets one.');
}

function challengeOf(refusing: Refusing): Record<string, string> {
  return refusing === 'unauthorized' ? { 'WWW-Authenticate': 'Session' } : {};
}
