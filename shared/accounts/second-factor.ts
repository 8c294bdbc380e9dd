import { z } from 'zod';

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
