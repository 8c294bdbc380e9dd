import { z } from 'zod';

/** `GET /v1/admin/second-factor` */
export const factorReply = z
  .object({
    isOn: z.boolean(),
    recoveryCodes: z.int().describe('How many are left.'),
  })
  .meta({ id: 'SecondFactor' });

export type FactorReply = z.infer<typeof factorReply>;

/** `POST /v1/admin/second-factor/secret` */
export const factorSecretReply = z
  .object({
    secret: z.string().describe('In Base32.'),
    address: z.string().describe('The same as apps read it from a picture: `otpauth://…`.'),
  })
  .meta({ id: 'SecondFactorSecret' });

export type FactorSecretReply = z.infer<typeof factorSecretReply>;

/** `POST /v1/admin/second-factor`, `POST /v1/admin/second-factor/recovery-codes` */
export const recoveryCodesReply = z
  .object({ recoveryCodes: z.array(z.string()).describe('Each is good once. Shown this once.') })
  .meta({ id: 'RecoveryCodes' });

export type RecoveryCodesReply = z.infer<typeof recoveryCodesReply>;
