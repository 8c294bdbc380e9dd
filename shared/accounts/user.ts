import { z } from 'zod';
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
      .refine((name) => name !== administrator, 'must not be "administrator", which stands for its password'),
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

/** `POST /v1/users` (201): who is added sets a password by a link, and signs in with it and this name. */
export const newUserBody = z.object({ name: userName, roles: projectRoles });

export type NewUser = z.infer<typeof newUserBody>;

/** `PATCH /v1/users/{userId}` (200): the roles take the place of those that there were. */
export const userPatch = z.object({ roles: projectRoles });

export type UserPatch = z.infer<typeof userPatch>;
