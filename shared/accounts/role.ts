/** What a user may do in a project, from the least to the most. */
export const roles = ['viewer', 'editor', 'owner'] as const;

export type Role = (typeof roles)[number];

/** Whether a role, or none (null), includes the permissions of another. */
export function isAtLeast(role: Role | null, needed: Role): boolean {
  return role !== null && roles.indexOf(role) >= roles.indexOf(needed);
}

/** A role in one project; null: in all of them, later ones included. */
export interface ProjectRole {
  projectId: string | null;
  role: Role;
}

/** The highest that they give in the project. */
export function roleIn(given: readonly ProjectRole[], projectId: string | null): Role | null {
  const held = given.filter((one) => one.projectId === null || one.projectId === projectId);
  return roles.findLast((role) => held.some((one) => one.role === role)) ?? null;
}
