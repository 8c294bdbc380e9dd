import { z } from 'zod';
import { lazily, type Reply, reply } from '../reply.ts';
import { oneOf, paging } from '../reports/analytics.ts';
import { actorKinds, auditActions } from './audit-actions.ts';

/** The query of the audit list. */
export const auditQuery = z.object({
  ...paging({ max: 250, standard: 50 }),
  format: oneOf(['json', 'csv'])
    .default('json')
    .describe('`csv`: the newest 50,000 rows in a file, whatever `limit` and `offset`.'),
});

export type AuditQuery = z.infer<typeof auditQuery>;

/** Who did it, as they were called then. */
export const actorReply = lazily(() =>
  z.object({
    kind: z
      .enum(actorKinds)
      .describe(
        '`command`: on the command line of the server; `automation`: a schedule or a trigger; `server`: the server itself.',
      ),
    id: z.string().nullable().describe('Of the user or the key.'),
    name: z.string().nullable().describe('Of the user or the key, as it was then.'),
  }),
);

const entry = lazily(() =>
  z.object({
    at: z.iso.datetime(),
    actor: actorReply(),
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
  }),
);

/** `GET /v1/audit`, `GET /v1/projects/{projectId}/audit` */
export const auditReply = reply('Audit', () => ({
  entries: z.array(entry()).describe('The newest first.'),
  hasMore: z.boolean().describe('Whether there are entries after these.'),
}));

export type AuditReply = Reply<typeof auditReply>;
