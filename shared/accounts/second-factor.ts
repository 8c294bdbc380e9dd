import { z } from 'zod';
import { type Reply, reply } from '../reply.ts';

const password = z.string().max(1000);
/** That of an app, or a recovery code. */
const code = z.string().max(100);

/**
 * `POST /v1/admin/second-factor` (201, `RecoveryCodesReply`): with a secret of `POST /v1/admin/second-factor/secret`, and a
 * code that the app makes of it. 403: the password or the code is wrong, the latter with a detail of the path `code`.
 */
export const newFactorBody = z.object({
  password,
  secret: z.string().regex(/^[A-Z2-7]{32}$/, 'must be one that the server made'),
  code,
});

export type NewFactor = z.infer<typeof newFactorBody>;

/** `DELETE /v1/admin/second-factor` (204), `POST /v1/admin/second-factor/recovery-codes` (201): as above. */
export const factorConfirmation = z.object({ password, code });

export type FactorConfirmation = z.infer<typeof factorConfirmation>;

/** `GET /v1/admin/second-factor` */
export const factorReply = reply('SecondFactor', () => ({
  isOn: z.boolean(),
  recoveryCodes: z.int().describe('How many are left.'),
}));

export type FactorReply = Reply<typeof factorReply>;

/** `POST /v1/admin/second-factor/secret` */
export const factorSecretReply = reply('SecondFactorSecret', () => ({
  secret: z.string().describe('In Base32.'),
  address: z.string().describe('The same as apps read it from a picture: `otpauth://…`.'),
}));

export type FactorSecretReply = Reply<typeof factorSecretReply>;

/** `POST /v1/admin/second-factor`, `POST /v1/admin/second-factor/recovery-codes` */
export const recoveryCodesReply = reply('RecoveryCodes', () => ({
  recoveryCodes: z.array(z.string()).describe('Each is good once. Shown this once.'),
}));

export type RecoveryCodesReply = Reply<typeof recoveryCodesReply>;
