import { z } from 'zod';
import { roles } from '../../accounts/role.ts';

const projectRole = z.object({
  projectId: z.string().nullable().describe('Null: all projects, later ones included.'),
  role: z.enum(roles),
});

/** Somebody who signs in with a name of their own. */
export const userReply = z
  .object({
    id: z.string(),
    name: z.string(),
    roles: z.array(projectRole),
    hasPassword: z.boolean().describe('Whether a password was set, by the link.'),
    hasSecondFactor: z.boolean().describe('Whether signing in takes a code, too.'),
    hasSignOn: z
      .boolean()
      .describe('Whether they have connected an account at a provider, to sign in by it.'),
    linkExpiresAt: z.iso
      .datetime()
      .nullable()
      .describe('Of a link that nobody has used; null: there is none.'),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'User' });

export type UserReply = z.infer<typeof userReply>;

/** `GET /v1/users` */
export const usersReply = z.object({ users: z.array(userReply) }).meta({ id: 'Users' });

export type UsersReply = z.infer<typeof usersReply>;

/** `POST /v1/users`, `POST /v1/users/{userId}/link` */
export const linkedUserReply = userReply
  .extend({
    link: z
      .string()
      .describe('Sets the password: works once, and expires in 7 days. It will not be shown again.'),
  })
  .meta({ id: 'LinkedUser' });

export type LinkedUserReply = z.infer<typeof linkedUserReply>;
