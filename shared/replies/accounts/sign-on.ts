import { z } from 'zod';

/** `POST /v1/admin/sign-on`, `POST /v1/admin/sign-on/account` */
export const signOnReply = z
  .object({ address: z.string().describe('Where the browser is to go.') })
  .meta({ id: 'SignOn' });

export type SignOnReply = z.infer<typeof signOnReply>;

/** `POST /v1/admin/sign-on/return` */
export const signOnReturnReply = z
  .object({ next: z.string().nullable().describe('The page to go on with; null: the first one.') })
  .meta({ id: 'SignOnReturn' });

export type SignOnReturnReply = z.infer<typeof signOnReturnReply>;

/** `GET /v1/admin/sign-on/account` */
export const signOnAccountReply = z
  .object({ isConnected: z.boolean().describe('Whether whoever asks has connected an account.') })
  .meta({ id: 'SignOnAccount' });

export type SignOnAccountReply = z.infer<typeof signOnAccountReply>;
