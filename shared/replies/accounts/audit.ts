import { z } from 'zod';
import { actorKinds, auditActions } from '../../accounts/audit-actions.ts';

/** Who did it, as they were called then. */
export const actorReply = z.object({
  kind: z
    .enum(actorKinds)
    .describe(
      '`command`: on the command line of the server; `automation`: a schedule or a trigger; `server`: the server itself.',
    ),
  id: z.string().nullable().describe('Of the user or the key.'),
  name: z.string().nullable().describe('Of the user or the key, as it was then.'),
});

const entry = z.object({
  at: z.iso.datetime(),
  actor: actorReply,
  action: z.enum(auditActions),
  projectId: z.string().nullable().describe('Null: it was about no single project.'),
  subject: z
    .string()
    .describe(
      'Name of the project, key or user, text of the note, id of the job or link, or version of the catalogue.',
    ),
  changes: z
    .array(z.string())
    .describe('What of it: `timeZone: UTC → Europe/Berlin`, names alone of lists and secrets, roles.'),
});

/** `GET /v1/audit`, `GET /v1/projects/{projectId}/audit` */
export const auditReply = z
  .object({
    entries: z.array(entry).describe('The newest first.'),
    hasMore: z.boolean().describe('Whether there are entries after these.'),
  })
  .meta({ id: 'Audit' });

export type AuditReply = z.infer<typeof auditReply>;
