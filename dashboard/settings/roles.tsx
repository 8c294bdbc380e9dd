import type { ProjectReply } from '../../shared/admin.ts';
import type { ProjectRole, Role } from '../../shared/role.ts';
import { ChoiceField, type FieldProps } from '../components/field.tsx';

const names: Record<Role, string> = { viewer: 'Viewer', editor: 'Editor', owner: 'Owner' };

const hints: Record<string, string> = {
  viewer: 'Reads reports, and nothing else.',
  editor: 'Also reads and starts jobs, changes settings, and makes share links.',
  owner: 'Also manages keys, secrets and retention, and removes the project. Of all projects: everything.',
};

/** Such as `Editor of Docs`. */
export function describeRole({ projectId, role }: ProjectRole, projects: readonly ProjectReply[]): string {
  const project = projects.find(({ id }) => id === projectId);
  return `${names[role]} of ${projectId === null ? 'all projects' : (project?.name ?? projectId)}`;
}

interface RoleFieldsProps {
  form: { values: { role: string }; field(name: 'role' | 'projectId'): FieldProps };
  projects: readonly ProjectReply[];
}

/** Which role, and where; no project stands for all of them. */
export function RoleFields({ form, projects }: RoleFieldsProps) {
  const named = Object.fromEntries(projects.map(({ id, name }) => [id, name]));
  return (
    <div class="side-by-side">
      <ChoiceField label="Role" {...form.field('role')} options={names} hint={hints[form.values.role]} />
      <ChoiceField label="In" {...form.field('projectId')} options={{ '': 'All projects', ...named }} />
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
  if (roles.length === 0) return <p class="empty">No role in any project.</p>;
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
              aria-label={`Take away: ${describeRole(role, projects)}`}
              onClick={() => onRemove(role)}
            >
              Take away
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
