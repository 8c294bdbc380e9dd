import type { AuditReply } from '../../shared/accounts/audit.ts';
import { type AuditQuery, auditQuery, auditReply } from '../../shared/accounts/audit.ts';
import { maxCsvRows, sendCsv } from '../analytics/csv.ts';
import { fileName } from '../analytics/file-name.ts';
import type { Context } from '../context.ts';
import { type Call, type Route, route } from '../http/route.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { AuditEntry } from '../store/admin/audit.ts';

const answers = {
  200: {
    says: 'A page of entries, or a file',
    json: auditReply,
    types: ['text/csv'],
  },
} as const;

/** Who changed what. */
export const auditOperations: readonly Route[] = [
  route({
    name: 'audit.list',
    method: 'GET',
    path: '/v1/audit',
    access: 'owner',
    summary:
      'Who changed projects, keys, secrets, users and settings, and started jobs, in the last two years',
    query: auditQuery,
    answers,
    handle: (context, call) => sendEntries(context, call, null),
  }),
  route({
    name: 'audit.list_of_project',
    method: 'GET',
    path: '/v1/projects/:projectId/audit',
    access: 'project',
    role: 'owner',
    summary: 'Who changed what of a project',
    query: auditQuery,
    answers,
    handle: (context, call) => sendEntries(context, call, call.project),
  }),
];

async function sendEntries(
  context: Context,
  { query: { format, ...page }, res }: Pick<Call<'owner', AuditQuery>, 'query' | 'res'>,
  project: LiveProject | null,
): Promise<AuditReply | undefined> {
  const wanted = format === 'csv' ? { limit: maxCsvRows, offset: 0 } : page;
  const projectId = project?.id ?? null;
  const { rows, hasMore } = await context.store.audit.listEntries({ projectId, ...wanted });
  if (format === 'json') return { entries: rows.map(toReply), hasMore };
  await sendCsv(res, {
    name: fileName(context, project, 'audit'),
    columns: ['at', 'actor', 'actorName', 'actorId', 'action', 'projectId', 'subject', 'changes'],
    rows: rows
      .map(toReply)
      .map(({ actor, changes, ...entry }) => [
        ...[entry.at, actor.kind, actor.name, actor.id],
        ...[entry.action, entry.projectId, entry.subject, changes.join('; ')],
      ]),
    isCut: hasMore,
    maxMs: context.timing.fileMs,
  });
  return undefined;
}

function toReply({ at, ...entry }: AuditEntry): AuditReply['entries'][number] {
  return { ...entry, at: new Date(at).toISOString() };
}
