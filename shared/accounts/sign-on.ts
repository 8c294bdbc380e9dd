import { z } from 'zod';
import { type Reply, reply } from '../reply.ts';

const token = z.string().max(200);

/**
 * `POST /v1/admin/sign-on` (201, `SignOnReply`): to sign in, or, with the token of a link that a user was sent, to take it
 * up. The browser goes to the address, and comes back to the page `/sign-on`.
 */
export const signOnBody = z.object({
  token: token.optional(),
  next: z.string().max(2000).optional().describe('The page of the dashboard to go on with.'),
});

export type SignOnStart = z.infer<typeof signOnBody>;

/** `POST /v1/admin/sign-on/return` (200, `SignOnReturnReply`): with the query that the browser came back with. */
export const signOnReturnBody = z.object({ query: z.string().max(10_000) });

export type SignOnReturn = z.infer<typeof signOnReturnBody>;

/** `POST /v1/admin/sign-on/account` (201, `SignOnReply`), `DELETE` (204): by the password, and the code of a second factor. */
export const signOnConfirmation = z.object({
  password: z.string().max(1000),
  code: z.string().max(100).optional(),
});

export type SignOnConfirmation = z.infer<typeof signOnConfirmation>;

/** `POST /v1/admin/sign-on`, `POST /v1/admin/sign-on/account` */
export const signOnReply = reply('SignOn', () => ({
  address: z.string().describe('Where the browser is to go.'),
}));

export type SignOnReply = Reply<typeof signOnReply>;

/** `POST /v1/admin/sign-on/return` */
export const signOnReturnReply = reply('SignOnReturn', () => ({
  next: z.string().nullable().describe('The page to go on with; null: the first one.'),
}));

export type SignOnReturnReply = Reply<typeof signOnReturnReply>;

/** `GET /v1/admin/sign-on/account` */
export const signOnAccountReply = reply('SignOnAccount', () => ({
  isConnected: z.boolean().describe('Whether the caller has connected an account.'),
}));

export type SignOnAccountReply = Reply<typeof signOnAccountReply>;
