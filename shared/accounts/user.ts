import { z } from 'zod';
import { lazily, type Reply, reply } from '../reply.ts';
import { roles } from './role.ts';

/** Whose password signs in without a name: no user has this one, which password managers fill in for it. */
export const administrator = 'administrator';

/** As it is typed to sign in; one user has it, however it is written. */
export const userName = z
  .string()
  .transform((name) => name.normalize('NFC').trim().toLowerCase())
  .pipe(
    z
      .string()
      .min(1, 'must not be empty')
      .max(100, 'must have at most 100 characters')
      .regex(/^[^\p{C}\p{Z}]+(?: [^\p{C}\p{Z}]+)*$/u, 'must be words with single spaces between them')
      .refine((name) => name !== administrator, 'must not be "administrator", which is reserved'),
  );

const projectRole = z.object({
  projectId: z.string().max(100).nullable().describe('Null: all projects, later ones included.'),
  role: z.enum(roles, { error: `must be one of ${roles.join(', ')}` }),
});

/** Each project once. */
const projectRoles = z
  .array(projectRole)
  .min(1, 'must name at least one role')
  .max(1000, 'must be at most 1000')
  .refine((given) => new Set(given.map(({ projectId }) => projectId)).size === given.length, {
    error: 'must name each project once',
  });

/** `POST /v1/users` (201): the new user sets a password by a link, and signs in with it and this name. */
export const newUserBody = z.object({ name: userName, roles: projectRoles });

export type NewUser = z.infer<typeof newUserBody>;

/** `PATCH /v1/users/{userId}` (200): the roles take the place of those that there were. */
export const userPatch = z.object({ roles: projectRoles });

/** Somebody who signs in with a name of their own. */
export const userReply = reply('User', () => ({
  id: z.string(),
  name: z.string(),
  roles: z.array(
    z.object({
      projectId: z.string().nullable().describe('Null: all projects, later ones included.'),
      role: z.enum(roles),
    }),
  ),
  hasPassword: z.boolean().describe('Whether a password was set, by the link.'),
  hasSecondFactor: z.boolean().describe('Whether signing in takes a code, too.'),
  hasSignOn: z.boolean().describe('Whether they have connected an account at a provider, to sign in by it.'),
  linkExpiresAt: z.iso.datetime().nullable().describe('Of a link that nobody has used; null: there is none.'),
  createdAt: z.iso.datetime(),
}));

export type UserReply = Reply<typeof userReply>;

/** `GET /v1/users` */
export const usersReply = reply('Users', () => ({ users: z.array(userReply()) }));

export type UsersReply = Reply<typeof usersReply>;

/** `POST /v1/users`, `POST /v1/users/{userId}/link` */
export const linkedUserReply = lazily(() =>
  userReply()
    .extend({
      link: z
        .string()
        .describe('Sets the password: works once, and expires in 7 days. It will not be shown again.'),
    })
    .meta({ id: 'LinkedUser' }),
);

export type LinkedUserReply = Reply<typeof linkedUserReply>;
