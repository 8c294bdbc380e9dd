import { z } from 'zod';
import { name } from '../name.ts';
import { addressRange, projectSettings } from '../project/project.ts';
import { secretTexts } from '../project/project-change.ts';
import { lazily, type Reply, reply } from '../reply.ts';
import type { SecretName } from '../secrets.ts';
import { actorReply } from './audit.ts';
import { keyScopes, keyScopeText } from './key-scope.ts';
import { roles } from './role.ts';

/*
 * The routes of the dashboard, besides the public ones of reports and jobs. All of it needs a session, which is the cookie
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
  // Parsed together with the stored settings: `partial()` alone would fill in defaults for missing ones.
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
      'Addresses and ranges that it may be used from, such as `192.0.2.0/24`; none: anywhere. Left out: as the key that makes it, or anywhere.',
    ),
});

export type NewKey = z.infer<typeof newKeyBody>;

/** `page`: a read-only dashboard at `/share/{token}`; `badge`: an image of the last 30 days' visitors at `/badge/{token}.svg`. */
const linkKinds = ['page', 'badge'] as const;

/** `POST /v1/admin/projects/{projectId}/links` (201, `LinkReply`). `DELETE …/links/{linkId}` revokes at once (204). */
export const newLinkBody = z.object({ kind: z.enum(linkKinds) });

/** `GET /v1/admin/session`, which anybody may ask. `setup`: nobody has set a password yet. */
export const sessionReply = reply('Session', () => ({
  state: z.enum(['setup', 'signed-out', 'signed-in']),
  hasUsers: z.boolean().describe('Whether signing in may take a name.'),
  name: z.string().nullable().describe('Of the user who is signed in; null: the administrator, or nobody.'),
  role: z.enum(roles).nullable().describe('In all projects; null: none, or nobody is signed in.'),
  signOn: z.string().nullable().describe('Name of the provider that users may sign in with; null: none.'),
}));

export type SessionReply = Reply<typeof sessionReply>;

/** `GET /v1/admin/projects/{projectId}`: a project as the dashboard shows it; of secrets only whether they are set. */
export const projectReply = lazily(() =>
  projectSettings
    .extend({
      id: z.string(),
      createdAt: z.iso.datetime(),
      secrets: z.object({
        forgeToken: z.boolean(),
        githubAppKey: z.boolean(),
        repositoryTokens: z.boolean(),
        forgeWebhookSecret: z.boolean(),
        signingKey: z.boolean(),
        webhookUrl: z.boolean(),
        webhookSecret: z.boolean(),
      } satisfies Record<SecretName, z.ZodType>),
      role: z.enum(roles).describe('Of the caller.'),
      warnings: z
        .array(z.string())
        .optional()
        .describe('After it was made or changed: what was accepted and is probably not meant.'),
    })
    .meta({ id: 'Project' }),
);

export type ProjectReply = Reply<typeof projectReply>;

/** `GET /v1/admin/projects` */
export const projectsReply = reply('Projects', () => ({ projects: z.array(projectReply()) }));

export type ProjectsReply = Reply<typeof projectsReply>;

/** `GET /v1/projects/{projectId}`: the same for programs, without settings of programs on the server. */
export const managedProjectReply = lazily(() =>
  projectReply()
    .omit({ agentCommand: true, agentUnconfined: true, role: true })
    .meta({ id: 'ManagedProject' }),
);

/** `GET /v1/projects` */
export const managedProjectsReply = reply('ManagedProjects', () => ({
  projects: z.array(managedProjectReply()),
}));

/** `GET /v1/admin/projects/{projectId}/install` */
export const installReply = reply('Install', () => ({
  /** Address by which browsers reach this server, without a slash at the end. */
  server: z.string(),
  /** The line to paste into pages, and the one for pages read without scripts. */
  script: z.string(),
  noscript: z.string(),
  /** First day with a count; null: nothing has arrived yet. */
  firstDay: z.iso.date().nullable(),
}));

export type InstallReply = Reply<typeof installReply>;

/** A key of the project, or (`allProjects`) one that is good for every project. */
export const keyReply = reply('Key', () => ({
  id: z.string(),
  name: z.string(),
  scope: z.enum(keyScopes).describe(keyScopeText),
  allProjects: z.boolean(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable().describe('From then on it is refused; null: it has no end.'),
  networks: z
    .array(z.string())
    .describe('Addresses and ranges that it may be used from; none: from anywhere.'),
  madeBy: actorReply()
    .nullable()
    .describe('A key ends with the key that made it. Null: made before that was recorded.'),
  lastUsedOn: z.iso.date().nullable().describe('In UTC; null: never.'),
}));

export type KeyReply = Reply<typeof keyReply>;

/** `GET /v1/admin/projects/{projectId}/keys` */
export const keysReply = reply('Keys', () => ({ keys: z.array(keyReply()) }));

export type KeysReply = Reply<typeof keysReply>;

export const newKeyReply = lazily(() =>
  keyReply()
    .extend({ secret: z.string().describe('Shown this once.') })
    .meta({ id: 'NewKey' }),
);

export type NewKeyReply = Reply<typeof newKeyReply>;

/** A public, revocable address. */
export const linkReply = reply('Link', () => ({
  id: z.string(),
  kind: z.enum(['page', 'badge']),
  url: z.string().describe('Whole address.'),
  createdAt: z.iso.datetime(),
}));

export type LinkReply = Reply<typeof linkReply>;

/** `GET /v1/admin/projects/{projectId}/links` */
export const linksReply = reply('Links', () => ({ links: z.array(linkReply()) }));

export type LinksReply = Reply<typeof linksReply>;

export const addressListReply = reply('AddressList', () => ({
  list: z.string().describe('Its name, such as `openai-gptbot`.'),
  clients: z.array(z.string()).describe('What their user agents say.'),
  confirmedAt: z.iso
    .datetime()
    .nullable()
    .describe('When the operator last published it like this; null: there is no copy.'),
  isRecent: z
    .boolean()
    .describe(
      'Whether an address outside of it is one of somebody else: of an older list it only proves who is inside.',
    ),
}));

export type AddressListReply = Reply<typeof addressListReply>;

/** `GET /v1/admin/address-lists`: the addresses that operators of AI publish, as far as this server has them. */
export const addressListsReply = reply('AddressLists', () => ({
  lists: z.array(addressListReply()).describe('The oldest first.'),
}));

export type AddressListsReply = Reply<typeof addressListsReply>;

/**
 * `GET /v1/share/{token}`: the project of a share page. Its reports are those of `/v1/analytics/{projectId}/…`, at
 * `/v1/share/{token}/…`, without `dropped` and `cardinality-limits`.
 */
export const shareReply = reply('SharedProject', () => ({
  name: z.string(),
  timeZone: z.string(),
  isImported: z
    .boolean()
    .describe('All that was counted came from logs or another tool: days without are not measured.'),
}));

export type ShareReply = Reply<typeof shareReply>;
