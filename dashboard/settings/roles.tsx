import type { ProjectReply } from '../../shared/accounts/admin.ts';
import type { ProjectRole } from '../../shared/accounts/role.ts';
import { ChoiceField, type FieldProps } from '../components/form/field.tsx';
import { byName } from '../formats/project-names.ts';
import { t } from '../texts/installation.ts';
import { fill, lookUp } from '../texts/part.ts';

/** Such as `Editor of Docs`. */
export function describeRole({ projectId, role }: ProjectRole, projects: readonly ProjectReply[]): string {
  const project = projects.find(({ id }) => id === projectId);
  const name = t.roleNames[role];
  if (projectId === null) return fill(t.roleOfAllProjects, { role: name });
  return fill(t.roleOf, { role: name, project: project?.name ?? projectId });
}

interface RoleFieldsProps {
  form: { values: { role: string }; field(name: 'role' | 'projectId'): FieldProps };
  projects: readonly ProjectReply[];
}

/** Which role, and where; no project stands for all of them. */
export function RoleFields({ form, projects }: RoleFieldsProps) {
  const named = Object.fromEntries([...projects].sort(byName).map(({ id, name }) => [id, name]));
  return (
    <div class="side-by-side">
      <ChoiceField
        label={t.role}
        {...form.field('role')}
        options={t.roleNames}
        hint={lookUp(t.roleHints, form.values.role)}
      />
      <ChoiceField
        label={t.inProject}
        {...form.field('projectId')}
        options={{ '': t.allProjects, ...named }}
      />
    </div>
  );
}

interface RoleListProps {
  roles: readonly ProjectRole[];
  projects: readonly ProjectReply[];
  onRemove: (role: ProjectRole) => void;
}

/** The last one stays, as a user without any is one to be removed. */
export function RoleList({ roles, projects, onRemove }: RoleListProps) {
  if (roles.length === 0) return <p class="empty">{t.noRoleInAnyProject}</p>;
  return (
    <ul class="rows">
      {roles.map((role) => (
        <li key={role.projectId}>
          <div class="rows-main">
            <bdi>{describeRole(role, projects)}</bdi>
          </div>
          {roles.length > 1 && (
            <button
              type="button"
              class="small"
              aria-label={fill(t.takeAwayRole, { role: describeRole(role, projects) })}
              onClick={() => onRemove(role)}
            >
              {t.takeAway}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
