/** Actions in the audit list. */
export const auditActions = [
  'project.added',
  'project.changed',
  'project.removed',
  'secrets.changed',
  'key.added',
  'key.revoked',
  'link.added',
  'link.revoked',
  'user.added',
  'user.changed',
  'user.removed',
  'user.linked',
  'password.changed',
  'factor.added',
  'factor.changed',
  'factor.removed',
  'factor.reset',
  'sign_on.connected',
  'sign_on.disconnected',
  'job.started',
  'job.continued',
  'job.stopped',
  'job.archived',
  'automation.added',
  'automation.changed',
  'automation.removed',
  'annotation.added',
  'annotation.removed',
  'view.added',
  'view.changed',
  'view.removed',
  'fault.dismissed',
  'fault.restored',
  'fault.assigned',
  'paths.folded',
  'paths.forgotten',
  'days.forgotten',
  'calendar.repaired',
  'logs.added',
  'logs.removed',
  'history.added',
  'history.removed',
  'search_numbers.added',
  'search_numbers.removed',
  'catalogue.loaded',
] as const;

export type AuditAction = (typeof auditActions)[number];

/**
 * Who may have done it: the administrator, a user, a program with a key, somebody on the command line, an automation, or the
 * server itself.
 */
export const actorKinds = ['administrator', 'user', 'key', 'command', 'automation', 'server'] as const;

export type ActorKind = (typeof actorKinds)[number];
