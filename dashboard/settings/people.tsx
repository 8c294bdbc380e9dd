import { useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import type { ProjectRole, Role } from '../../shared/accounts/role.ts';
import type { LinkedUserReply, UserReply, UsersReply } from '../../shared/accounts/user.ts';
import { useAction } from '../api/action.ts';
import { useApi, useResource } from '../api/resource.ts';
import { Confirmation } from '../components/confirmation.tsx';
import { Code } from '../components/copy.tsx';
import { Dialog } from '../components/dialog.tsx';
import { ChoiceField, type FieldProps, TextField } from '../components/form/field.tsx';
import { Form, useForm } from '../components/form/form.tsx';
import { Failure, Loaded } from '../components/notice.tsx';
import { formatTime } from '../formats/day.ts';
import { byName } from '../formats/project-names.ts';
import { t } from '../texts/installation.ts';
import { fill, lookUp, mix } from '../texts/part.ts';

const path = '/v1/users';

type Asked =
  | { what: 'roles' | 'removal' | 'factor'; user: UserReply }
  | { what: 'link'; user: LinkedUserReply };

/** Who shares the installation, and what they may do. */
export function People({ projects }: { projects: ProjectReply[] }) {
  const resource = useResource<UsersReply>(path);
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  const showLink = (user: LinkedUserReply) => {
    resource.reload();
    setAsked({ what: 'link', user });
  };
  return (
    <section class="card" id="people" aria-labelledby="people-title">
      <h2 id="people-title">{t.people}</h2>
      <p class="hint">{t.usersSignInWithAName}</p>
      <Loaded resource={resource} lines={3}>
        {({ users }) => (
          <ul class="rows">
            {users.map((user) => (
              <UserRow key={user.id} user={user} projects={projects} onAsked={setAsked} onLinked={showLink} />
            ))}
            {users.length === 0 && <li class="empty">{t.nobodyButYouThereIsOne}</li>}
          </ul>
        )}
      </Loaded>
      <NewUser projects={projects} onAdded={showLink} />
      {asked?.what === 'link' && <ShowLink user={asked.user} onClose={close} />}
      {asked?.what === 'roles' && (
        <EditRoles user={asked.user} projects={projects} onChanged={resource.reload} onClose={close} />
      )}
      {asked?.what === 'factor' && (
        <ResetFactor user={asked.user} onReset={resource.reload} onClose={close} />
      )}
      {asked?.what === 'removal' && (
        <RemoveUser user={asked.user} onRemoved={resource.reload} onClose={close} />
      )}
    </section>
  );
}

interface UserRowProps {
  user: UserReply;
  projects: ProjectReply[];
  onAsked: (asked: Asked) => void;
  onLinked: (user: LinkedUserReply) => void;
}

function UserRow({ user, projects, onAsked, onLinked }: UserRowProps) {
  const { api } = useApi();
  const { id, name, roles, hasPassword, hasSecondFactor, hasSignOn, linkExpiresAt } = user;
  const link = useAction(async () => onLinked(await api.send('POST', `${path}/${id}/link`)));
  return (
    <li>
      <div class="rows-main">
        <bdi class="strong">{name}</bdi>
        {roles.map((role) => (
          <span key={role.projectId} class="tag">
            {describeRole(role, projects)}
          </span>
        ))}
        <p class="hint">
          {hasPassword ? t.hasAPassword : t.hasSetNoPasswordYet}
          {hasSecondFactor && ` ${t.andASecondFactor}`}
          {hasSignOn && t.hasConnectedSingleSignOn}
          {linkExpiresAt !== null &&
            mix(t.aLinkIsGoodUntil, {
              moment: <time dateTime={linkExpiresAt}>{formatTime(linkExpiresAt)}</time>,
            })}
        </p>
        <Failure failure={link.failure} />
      </div>
      <div class="page-actions">
        <RowButton
          label={t.roles}
          spoken={fill(t.rolesOf, { name })}
          onClick={() => onAsked({ what: 'roles', user })}
        />
        <RowButton
          label={t.newLink}
          spoken={fill(t.newLinkFor, { name })}
          disabled={link.isBusy}
          onClick={() => link.run()}
        />
        {hasSecondFactor && (
          <RowButton
            label={t.resetSecondFactor}
            spoken={fill(t.resetFactorOf, { name })}
            onClick={() => onAsked({ what: 'factor', user })}
          />
        )}
        <RowButton
          label={t.remove}
          spoken={fill(t.removeName, { name })}
          onClick={() => onAsked({ what: 'removal', user })}
        />
      </div>
    </li>
  );
}

interface RowButtonProps {
  label: string;
  /** For who does not see which row it is in. */
  spoken: string;
  disabled?: boolean;
  onClick: () => void;
}

function RowButton({ label, spoken, disabled, onClick }: RowButtonProps) {
  return (
    <button type="button" class="small" aria-label={spoken} disabled={disabled} onClick={onClick}>
      {label}
    </button>
  );
}

interface NewUserProps {
  projects: ProjectReply[];
  onAdded: (user: LinkedUserReply) => void;
}

function NewUser({ projects, onAdded }: NewUserProps) {
  const { api } = useApi();
  const form = useForm({ name: '', role: 'viewer', projectId: '' }, async ({ name, role, projectId }) => {
    const roles = [{ projectId: projectId || null, role }];
    onAdded(await api.send<LinkedUserReply>('POST', path, { name, roles }));
    form.reset();
  });
  return (
    <Form action={form} submitLabel={t.addUser} class="inset" isKept>
      <h3>{t.newUser}</h3>
      <TextField
        label={t.nameOfTheUser}
        {...form.field('name')}
        required
        maxLength={100}
        placeholder="ada@example.com"
        hint={t.theyTypeItToSignInItNeed}
      />
      <RoleFields form={form} projects={projects} />
    </Form>
  );
}

function ShowLink({ user: { name, link }, onClose }: { user: LinkedUserReply; onClose: () => void }) {
  return (
    <Dialog title={t.sendThemThisLink} onClose={onClose}>
      <p>{mix(t.itSetsThePasswordOfOnce, { name: <bdi class="strong">{name}</bdi> })}</p>
      <Code text={link} what={t.theLink} />
      <div class="actions">
        <button type="button" class="primary" onClick={onClose}>
          {t.iHaveCopiedIt}
        </button>
      </div>
    </Dialog>
  );
}

interface AskedProps {
  user: UserReply;
  onClose: () => void;
}

function EditRoles({
  user,
  projects,
  onChanged,
  onClose,
}: AskedProps & { projects: ProjectReply[]; onChanged: () => void }) {
  const { api } = useApi();
  const [roles, setRoles] = useState<readonly ProjectRole[]>(user.roles);
  const change = useAction(async (next: readonly ProjectRole[]) => {
    setRoles((await api.send<UserReply>('PATCH', `${path}/${user.id}`, { roles: next })).roles);
    onChanged();
  });
  const others = (projectId: string | null) => roles.filter((one) => one.projectId !== projectId);
  const form = useForm({ role: 'viewer', projectId: '' }, async (values) => {
    const projectId = values.projectId || null;
    await change.run([...others(projectId), { projectId, role: values.role as Role }]);
  });
  return (
    <Dialog title={fill(t.rolesOf, { name: user.name })} onClose={onClose}>
      <RoleList
        roles={roles}
        projects={projects}
        onRemove={({ projectId }) => change.run(others(projectId))}
      />
      <Form action={{ ...form, failure: change.failure }} submitLabel={t.giveThisRole} class="inset" isKept>
        <RoleFields form={form} projects={projects} />
      </Form>
    </Dialog>
  );
}

function ResetFactor({ user: { id, name }, onReset, onClose }: AskedProps & { onReset: () => void }) {
  const { api } = useApi();
  const reset = useAction(async () => {
    await api.send('DELETE', `${path}/${id}/second-factor`);
    onReset();
    onClose();
  });
  return (
    <Confirmation
      title={t.resetFactorQuestion}
      confirmLabel={t.resetSecondFactor}
      action={reset}
      onClose={onClose}
    >
      <p>{mix(t.thePasswordOfAloneSigns, { name: <bdi class="strong">{name}</bdi> })}</p>
    </Confirmation>
  );
}

function RemoveUser({ user: { id, name }, onRemoved, onClose }: AskedProps & { onRemoved: () => void }) {
  const { api } = useApi();
  const remove = useAction(async () => {
    await api.send('DELETE', `${path}/${id}`);
    onRemoved();
    onClose();
  });
  return (
    <Confirmation title={t.removeThisUser} confirmLabel={t.removeUser} action={remove} onClose={onClose}>
      <p>{mix(t.isSignedOutEverywhereAtOnce, { name: <bdi class="strong">{name}</bdi> })}</p>
    </Confirmation>
  );
}

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
