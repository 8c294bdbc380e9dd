import { z } from 'zod';
import { name } from '../name.ts';
import { addressRange, projectSettings } from '../project/project.ts';
import { secretTexts } from '../project/project-change.ts';
import { keyScopes, keyScopeText } from './key-scope.ts';

export type {
  FactorReply,
  FactorSecretReply,
  RecoveryCodesReply,
} from '../replies/accounts/second-factor.ts';
export type { SignOnAccountReply, SignOnReply, SignOnReturnReply } from '../replies/accounts/sign-on.ts';
export type { LinkedUserReply, UserReply, UsersReply } from '../replies/accounts/user.ts';
export type { AddressListsReply } from '../replies/address-lists.ts';
export type {
  InstallReply,
  KeyReply,
  KeysReply,
  LinkReply,
  LinksReply,
  NewKeyReply,
  ProjectReply,
  ProjectsReply,
  SessionReply,
} from '../replies/admin.ts';
export type { ShareReply } from '../replies/share.ts';

/*
 * What the dashboard talks to, beside the public routes of reports and jobs. All of it needs a session, which is the cookie
 * `headcount_session` (over https `__Host-headcount_session`, below a path `__Secure-…`); a session may also read `/v1/analytics/{projectId}/…` and use
 * `/v2/agent/{projectId}/…` as an admin key of all projects may. A request that changes something must come from the dashboard's
 * own origin (else 403). Users need a role for it (else 403). Errors are those of the API; 401 always means that nobody is signed in, or not any more.
 */

export const newPassword = z
  .string()
  .min(10, 'must have at least 10 characters')
  .max(1000, 'must have at most 1,000 characters');

/**
 * `POST /v1/admin/setup`: sets the administrator's password by the token of the one-time link, and signs in (204); all
 * other sessions of theirs end. Links are made when a password was forgotten too, so the page is there in every state. 403:
 * the link was used, or is older than a day. `POST /v1/admin/invitation` does the same for a user; within a week.
 */
export const setupBody = z.object({ token: z.string().max(200), password: newPassword });

export type Setup = z.infer<typeof setupBody>;

/**
 * `POST /v1/admin/session`: signs in (204), users by name and password, the administrator by the password alone or with
 * the name "administrator"; 401: it is wrong, or, with a detail of the path `code`, the account asks for the code of a second
 * factor, too; 429 with `Retry-After`: too many guesses. `DELETE` signs out (204);
 * `DELETE /v1/admin/sessions` signs out everywhere (204).
 */
export const signInBody = z.object({
  name: z.string().max(1000).optional(),
  password: z.string().max(1000),
  code: z.string().max(100).optional(),
});

export type SignIn = z.infer<typeof signInBody>;

/** `POST /v1/admin/password`: 204; all other sessions end. 403: `current` is wrong; 429 as above. */
export const passwordBody = z.object({ current: z.string().max(1000), next: newPassword });

export type PasswordChange = z.infer<typeof passwordBody>;

/** `POST /v1/admin/projects` (201, `ProjectReply`); no keys are made. `agentCommand` and `agentUnconfined` cannot be set, as they decide what runs on the server. */
export const newProjectBody = projectSettings;

/**
 * `PATCH /v1/admin/projects/{projectId}` (200, `ProjectReply`): settings that are not given stay; `agentCommand` and
 * `agentUnconfined` may come, but only as they are. A secret is set by a text and removed by null. Another origin of
 * repository or forge drops the secrets that are not given anew: a token goes to no host that it was not meant for. Paths
 * of error details are those of a setting (`hosts.0`) or `secrets.…`.
 */
export const projectPatch = z.object({
  // Parsed with what is stored under it: `partial()` alone would fill in the standard values of what is not given.
  settings: z.record(z.string(), z.unknown()).optional(),
  secrets: secretTexts.optional(),
});

/** `DELETE /v1/admin/projects/{projectId}` (204): by its name, typed by a person. */
export const removalBody = z.object({ name: z.string() });

export type Removal = z.infer<typeof removalBody>;

/** `POST /v1/admin/projects/{projectId}/keys` (201). `DELETE …/keys/{keyId}` revokes (204). */
export const newKeyBody = z.object({
  name,
  scope: z.enum(keyScopes).describe(keyScopeText),
  expiresAt: z.iso
    .datetime({ offset: true, error: 'must be an RFC 3339 time such as 2027-03-31T00:00:00.000Z, or null' })
    .nullable()
    .optional()
    .describe('From then on it is refused; null: never. Left out: as the key that makes it, else never.'),
  networks: z
    .array(addressRange)
    .max(100, 'must have at most 100 entries')
    .optional()
    .describe(
      'Addresses and ranges that it may be used from, such as `192.0.2.0/24`; none: from anywhere. Left out: as the key that makes it, else from anywhere.',
    ),
});

export type NewKey = z.infer<typeof newKeyBody>;

/** `page`: a read-only dashboard at `/share/{token}`; `badge`: an image of the last 30 days' visitors at `/badge/{token}.svg`. */
const linkKinds = ['page', 'badge'] as const;

/** `POST /v1/admin/projects/{projectId}/links` (201, `LinkReply`). `DELETE …/links/{linkId}` revokes at once (204). */
export const newLinkBody = z.object({ kind: z.enum(linkKinds) });

export type NewLink = z.infer<typeof newLinkBody>;
