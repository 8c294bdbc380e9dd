import { z } from 'zod';
import { keyScopes, keyScopeText } from '../accounts/key-scope.ts';
import { roles } from '../accounts/role.ts';
import { projectSettings } from '../project/project.ts';
import type { SecretName } from '../secrets.ts';
import { actorReply } from './accounts/audit.ts';

/** `GET /v1/admin/session`, which anybody may ask. `setup`: nobody has set a password yet. */
export const sessionReply = z
  .object({
    state: z.enum(['setup', 'signed-out', 'signed-in']),
    hasUsers: z.boolean().describe('Whether signing in may take a name.'),
    name: z.string().nullable().describe('Of the user who is signed in; null: the administrator, or nobody.'),
    role: z.enum(roles).nullable().describe('In all projects; null: none, or nobody is signed in.'),
    signOn: z
      .string()
      .nullable()
      .describe('What the provider is called that users may sign in with; null: none.'),
  })
  .meta({ id: 'Session' });

export type SessionReply = z.infer<typeof sessionReply>;

/** `GET /v1/admin/projects/{projectId}`: a project as the dashboard shows it; of secrets only whether they are set. */
export const projectReply = projectSettings
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
    role: z.enum(roles).describe('Of whoever asks.'),
  })
  .meta({ id: 'Project' });

export type ProjectReply = z.infer<typeof projectReply>;

/** `GET /v1/admin/projects` */
export const projectsReply = z.object({ projects: z.array(projectReply) }).meta({ id: 'Projects' });

export type ProjectsReply = z.infer<typeof projectsReply>;

/** `GET /v1/projects/{projectId}`: the same for programs, without what runs on the server. */
export const managedProjectReply = projectReply
  .omit({ agentCommand: true, agentUnconfined: true, role: true })
  .meta({ id: 'ManagedProject' });

/** `GET /v1/projects` */
export const managedProjectsReply = z
  .object({ projects: z.array(managedProjectReply) })
  .meta({ id: 'ManagedProjects' });

/** `GET /v1/admin/projects/{projectId}/install` */
export const installReply = z
  .object({
    /** Address by which browsers reach this server, without a slash at the end. */
    server: z.string(),
    /** The line to paste into pages, and the one for pages read without scripts. */
    script: z.string(),
    noscript: z.string(),
    /** First day with a count; null: nothing has arrived yet. */
    firstDay: z.iso.date().nullable(),
  })
  .meta({ id: 'Install' });

export type InstallReply = z.infer<typeof installReply>;

/** A key of the project, or (`allProjects`) one that is good for every project. */
export const keyReply = z
  .object({
    id: z.string(),
    name: z.string(),
    scope: z.enum(keyScopes).describe(keyScopeText),
    allProjects: z.boolean(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().nullable().describe('From then on it is refused; null: it has no end.'),
    networks: z
      .array(z.string())
      .describe('Addresses and ranges that it may be used from; none: from anywhere.'),
    madeBy: actorReply
      .nullable()
      .describe('A key ends with the key that made it. Null: made before that was recorded.'),
    lastUsedOn: z.iso.date().nullable().describe('In UTC; null: never.'),
  })
  .meta({ id: 'Key' });

export type KeyReply = z.infer<typeof keyReply>;

/** `GET /v1/admin/projects/{projectId}/keys` */
export const keysReply = z.object({ keys: z.array(keyReply) }).meta({ id: 'Keys' });

export type KeysReply = z.infer<typeof keysReply>;

export const newKeyReply = keyReply
  .extend({ secret: z.string().describe('Shown this once.') })
  .meta({ id: 'NewKey' });

export type NewKeyReply = z.infer<typeof newKeyReply>;

/** A public, revocable address. */
export const linkReply = z
  .object({
    id: z.string(),
    kind: z.enum(['page', 'badge']),
    url: z.string().describe('Whole address.'),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Link' });

export type LinkReply = z.infer<typeof linkReply>;

/** `GET /v1/admin/projects/{projectId}/links` */
export const linksReply = z.object({ links: z.array(linkReply) }).meta({ id: 'Links' });

export type LinksReply = z.infer<typeof linksReply>;
